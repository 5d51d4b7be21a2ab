/** A package for Debian. */
export type DebianPackage = {
  readonly description: string
  /** Below the description, in lines of at most 79 characters. */
  readonly about: readonly string[]
  readonly suggests: readonly string[]
  /** Commands in /usr/bin: of one executable file each, or of programs that share Node and packages. */
  readonly files: Readonly<Record<string, string>>
  readonly programs: Readonly<Record<string, 'control-plane' | 'admin' | 'nats-config'>>
  /** Units of infra/deploy/systemd, the first of which is its program's. */
  readonly units: readonly string[]
  /** An example of its settings, /etc/probe-mesh/<this>.env. null: it has none. */
  readonly settings: string | null
  /** What it alone has below /etc/probe-mesh, and its state, which purge removes: patterns of a shell. */
  readonly own: readonly string[]
}

export const debianPackages = {
  'probe-mesh-agent': {
    description: 'uptime monitor: agent that measures from its region',
    about: [
      'An agent of Probe Mesh takes checks from a mesh over NATS, measures from',
      'this machine, and keeps readings on disk until the mesh has stored them.',
      'Checks in a browser need the image with a browser instead.',
    ],
    suggests: [],
    files: { 'probe-mesh-agent': 'probe-mesh-agent' },
    programs: {},
    units: ['probe-mesh-agent@.service'],
    settings: 'agent',
    own: [
      '/etc/probe-mesh/agent-*.env',
      '/etc/probe-mesh/secrets/agent-*.creds',
      '/etc/probe-mesh/secrets/region-key',
      '/var/lib/private/probe-mesh',
      '/var/lib/probe-mesh',
    ],
  },
  'probe-mesh-mcp-gateway': {
    description: 'uptime monitor: MCP gateway for assistants',
    about: ['The MCP gateway of Probe Mesh answers assistants from a control plane.'],
    suggests: [],
    files: { 'probe-mesh-mcp-gateway': 'probe-mesh-mcp-gateway' },
    programs: {},
    units: ['probe-mesh-mcp-gateway.service'],
    settings: 'mcp-gateway',
    own: [],
  },
  'probe-mesh-cli': {
    description: 'uptime monitor: command line',
    about: [
      'Manages checks as code and shows whether services are up. Its command is',
      'probe-mesh, and service as in its documents; where /usr/sbin comes first in',
      "PATH, service is that of Debian's init-system-helpers.",
    ],
    suggests: [],
    files: { 'probe-mesh': 'service' },
    programs: {},
    units: [],
    settings: null,
    own: [],
  },
  'probe-mesh-control-plane': {
    description: 'uptime monitor: control plane with its operator commands',
    about: [
      'The control plane of Probe Mesh serves the API and the web pages, assigns',
      'checks to agents and stores their readings. It needs Postgres, ClickHouse and',
      'NATS, on this machine or others. It brings its own Node.js.',
    ],
    suggests: ['postgresql', 'nats-server'],
    files: {},
    programs: {
      'probe-mesh-control-plane': 'control-plane',
      'probe-mesh-admin': 'admin',
      'probe-mesh-nats-config': 'nats-config',
    },
    units: ['probe-mesh-control-plane.service', 'probe-mesh-nats.service'],
    settings: 'control-plane',
    own: [
      '/etc/probe-mesh/nats',
      '/etc/probe-mesh/secrets/nats',
      '/etc/probe-mesh/secrets/control-plane.creds',
      '/etc/probe-mesh/secrets/database-url',
      '/etc/probe-mesh/secrets/clickhouse-url',
      '/etc/probe-mesh/secrets/secrets-key',
      '/var/lib/private/probe-mesh-nats',
      '/var/lib/probe-mesh-nats',
    ],
  },
} as const satisfies Readonly<Record<string, DebianPackage>>

export type DebianName = keyof typeof debianPackages

/**
 * A version as Debian orders it: a candidate comes before its release.
 * @example 1.0.0-rc.1 is 1.0.0~rc.1
 */
export const debianVersion = (version: string): string => version.replace('-', '~')
