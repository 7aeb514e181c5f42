"""The page: NiceGUI elements, and three of our own in JavaScript."""
