"""Topics, configs and partitions as an administrator asks for them
(ControllerApis, ConfigAdminManager)."""
