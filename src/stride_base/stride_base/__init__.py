"""What every Stride package stands on: errors, strict files, the node base class."""
