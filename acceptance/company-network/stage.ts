/** A company between two networks: what both scripts and the test know. */

/** The proxy is the only host outside that the company reaches. Public addresses exist only in these namespaces. */
export const at = {
  proxy: '10.77.0.1',
  company: '10.77.0.2',
  target: '10.88.0.1',
  mesh: '11.22.33.1',
  hooks: '11.22.33.2',
  probed: '11.22.33.3',
} as const
export const names = { mesh: 'mesh.example.org', hooks: 'hooks.example.org' } as const
export const proxyPort = 3128
export const proxyUser = { name: 'ann', password: 'p@ss' } as const
export const targetPort = 8080

/** What the scripts need, as JSON in their first argument. */
export type Given = { folder: string; squid: string; ip: string; cutMs: number }

/** What the company's programs saw. */
export type CompanyReport = {
  /** The command line: its exit code and output. */
  enrolled: { exitCode: number | null; out: string; err: string }
  /** A message to the channel, by name and by address. */
  channelTests: unknown[]
  /** Readings of a public host that the company does not reach. */
  outside: string[]
}

export type WorldReport = {
  company: CompanyReport
  presence: string
  /** Of the private agent: in its journal, stored, stored twice, and measured while it was cut off. */
  readings: { journalled: number; missing: number; twice: number; inCut: number }
  /** What receivers got: host and path. */
  received: string[]
  /** The access log of the proxy: method and host of each request. */
  proxied: string[]
  /** Requests that the company's target got. */
  targetHits: number
}
