"""The robot in the browser: see it, steer it, replay it."""
