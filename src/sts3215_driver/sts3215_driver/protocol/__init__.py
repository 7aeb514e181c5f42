"""The Feetech STS protocol as pure functions and tables: no port, no time, no ROS."""
