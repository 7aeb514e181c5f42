"""What starts together: launch files, the single-process runner, the stride command."""
