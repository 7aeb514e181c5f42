"""What can go wrong with a joint module. Wrong single values raise `stride_base.errors.ConfigError`.

ModuleError
 +-- UntrustedInputError   an archive, XML or mesh that is dangerous or far too large; nothing is kept
 +-- ModelError            URDF, MJCF or meshes do not make one joint module
 |    +-- MissingMeshError
 +-- MeasurementError      a simulation or recording from which nothing can be measured
"""

from __future__ import annotations

from stride_base.errors import StrideError


class ModuleError(StrideError):
    """Base of everything that goes wrong between a URDF and its report."""


class UntrustedInputError(ModuleError):
    """A zip that leads out of its folder, an XML with entities, a mesh of a billion triangles."""


class ModelError(ModuleError):
    """No URDF or several, no input joint or several, a reversing gear, a model MuJoCo refuses."""


class MissingMeshError(ModelError):
    """A mesh that the URDF names is not there."""


class MeasurementError(ModuleError):
    """The simulation diverged, or the output did not follow the input."""
