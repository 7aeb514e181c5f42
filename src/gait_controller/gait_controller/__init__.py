"""CPG with Tegotae load feedback and steering, read from a control file."""
