import type { SharedPool } from '../schema/shared-pool.ts'

const bounds = { accounts: 500, hostsOfAccount: 10, catalogHosts: 5_000 } as const

/** Hosts that are watched for a region's own failure, by each control plane. */
export const evidencePools = {
  regionEvidence: {
    what: "Hosts that are watched for a region's own failure, at each control plane",
    bound: `${bounds.catalogHosts} of the catalog, and those of ${bounds.accounts} accounts`,
    share: `${bounds.hostsOfAccount} hosts; in the evidence an account counts as one`,
    floor: "the catalog's places, which no account takes",
    refused: 'further hosts are measured and judged, and are no evidence about a region',
    figures: ['region_evidence_refused_total', 'region_hosts_failing', 'region_doubts_refused'],
    limits: bounds,
  },
} as const satisfies Record<string, SharedPool & { limits: Record<string, number> }>
