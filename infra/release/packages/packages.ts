/** The packages for npm, by name: their programs, the first of which starts by the package's name. */
export const serverPackages = {
  'probe-mesh-server': {
    description: 'Probe Mesh, everything in one process with embedded databases',
    programs: { 'probe-mesh-server': 'all-in-one', 'probe-mesh-admin': 'admin' },
  },
  'probe-mesh-control-plane': {
    description: 'The control plane of Probe Mesh, with its operator commands',
    programs: {
      'probe-mesh-control-plane': 'control-plane',
      'probe-mesh-admin': 'admin',
      'probe-mesh-nats-config': 'nats-config',
    },
  },
  'probe-mesh-agent': {
    description: 'An agent of Probe Mesh, which measures from its region or from a private network',
    programs: { 'probe-mesh-agent': 'agent' },
  },
  'probe-mesh-mcp-gateway': {
    description: 'The MCP gateway of Probe Mesh',
    programs: { 'probe-mesh-mcp-gateway': 'mcp-gateway' },
  },
} as const

export type ServerPackage = keyof typeof serverPackages
