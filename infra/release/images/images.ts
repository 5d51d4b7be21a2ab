/** An image: one program from its bundle, and what it needs of Debian and of npm. */
export type Image = {
  readonly description: string
  readonly program: 'agent' | 'mcp-gateway' | 'control-plane'
  /** Commands beside the program, by name, with the source that a checkout and older images start. */
  readonly commands: Readonly<Record<string, { program: 'admin' | 'nats-config'; source: string }>>
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
  /** A folder that it writes, which user 10001 owns. null: it writes only to /tmp. */
  readonly data: string | null
  /** Whether the packages that npm installs with its programs are in it. */
  readonly hasPackages: boolean
  /** Debian packages that are unpacked with all that they need. */
  readonly debian: readonly string[]
  /** How long its health check may fail after the start, in seconds. */
  readonly startSeconds: number
}

const operatorCommands = {
  'probe-mesh-admin': { program: 'admin', source: 'infra/operate/admin/main.ts' },
  'probe-mesh-nats-config': { program: 'nats-config', source: 'infra/deploy/nats/main.ts' },
} as const

const agent = {
  description: 'An agent of Probe Mesh, without a browser',
  program: 'agent',
  commands: {},
  port: 9464,
  environment: { DATA_DIR: '/var/lib/probe-mesh', CHROMIUM: 'off' },
  data: '/var/lib/probe-mesh',
  hasPackages: false,
  debian: [],
  startSeconds: 60,
} as const satisfies Image

export const images = {
  agent,
  'mcp-gateway': {
    description: 'The MCP gateway of Probe Mesh',
    program: 'mcp-gateway',
    commands: {},
    port: 8081,
    environment: {},
    data: null,
    hasPackages: false,
    debian: [],
    startSeconds: 30,
  },
  'control-plane': {
    description: 'The control plane of Probe Mesh, with its operator commands',
    program: 'control-plane',
    commands: operatorCommands,
    port: 8080,
    environment: {},
    data: null,
    hasPackages: true,
    debian: [],
    startSeconds: 90,
  },
  'agent-browser': {
    ...agent,
    description: 'An agent of Probe Mesh with Chromium, for browser checks',
    // not the script of Debian's package, which needs a shell
    environment: { ...agent.environment, CHROMIUM: '/usr/lib/chromium/chromium' },
    hasPackages: true,
    debian: ['chromium', 'fonts-liberation'],
  },
} as const satisfies Readonly<Record<string, Image>>

export type ImageName = keyof typeof images
