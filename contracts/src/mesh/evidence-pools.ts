import type { SharedPool } from '../schema/shared-pool.ts'

const bounds = { accounts: 500, hostsOfAccount: 10, catalogHosts: 5_000 } as const

/** Hosts that serve as evidence for a failure of a region, at each control plane. */
export const evidencePools = {
  regionEvidence: {
    what: 'Hosts that serve as evidence for a failure of a region, at each control plane',
    bound: `${bounds.catalogHosts} of the catalog, and those of ${bounds.accounts} accounts`,
    share: `${bounds.hostsOfAccount} hosts; an account counts as one host in the evidence`,
    floor: "the catalog's places, which accounts never use",
    refused: 'further hosts are measured and assessed, but are no evidence about a region',
    figures: ['region_evidence_refused_total', 'region_hosts_failing', 'region_doubts_refused'],
    limits: bounds,
  },
} as const satisfies Record<string, SharedPool & { limits: Record<string, number> }>
