"""Joint modules: self-contained MJCF, JSON contract and load report from a URDF."""
