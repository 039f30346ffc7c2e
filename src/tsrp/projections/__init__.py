"""The projections: one file a family, all behind the contract of `tsrp.projections.contract`."""
