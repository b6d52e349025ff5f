"""What scenes and parts are declared with: quantities and units, frozen tables, findings."""
