/** The parts of the page in their order, by the ids that addresses name them by. */
export const meshParts = {
  regions: 'Regions',
  agents: 'Agents',
  quarantine: 'Quarantine',
  ledger: 'Slot ledger of your checks',
  ingest: 'Ingest',
} as const
