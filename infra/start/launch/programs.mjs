// The programs that an installed copy starts. Plain JavaScript: the launcher reads it.

/**
 * V8 reserves for a large server: 16 MiB for new objects before it collects them, and code that it optimises for
 * speed although it runs once. With less a check costs no more CPU: `npm run bench -- rest`.
 */
const small = ['--max-semi-space-size=4', '--optimize-for-size']
/** A control plane answers requests, so its code is optimised as usual. */
const serving = ['--max-semi-space-size=8']
/** A command ends before limits matter. */
const brief = []

/** @type {import('./programs.d.mts').Program[]} */
export const programs = [
  { name: 'all-in-one', entry: 'infra/start/all-in-one/main.ts', flags: serving },
  { name: 'control-plane', entry: 'infra/start/processes/control-plane.ts', flags: serving },
  { name: 'agent', entry: 'infra/start/processes/agent.ts', flags: small },
  { name: 'mcp-gateway', entry: 'infra/start/processes/mcp-gateway.ts', flags: small },
  { name: 'admin', entry: 'infra/operate/admin/main.ts', flags: brief },
  { name: 'nats-config', entry: 'infra/deploy/nats/main.ts', flags: brief },
]

/**
 * The flags of Node for a program. Those that the operator sets in NODE_OPTIONS are left out, because flags of a
 * command line win over it.
 * @param {import('./programs.d.mts').Program} program
 * @param {string} nodeOptions
 */
export const nodeFlags = ({ flags }, nodeOptions) => {
  const given = new Set(nodeOptions.split(/\s+/).map(nameOf))
  return flags.filter((flag) => !given.has(nameOf(flag)))
}

/** Node takes `_` for `-` in names. */
const nameOf = (flag) => (flag.split('=')[0] ?? '').replaceAll('_', '-')
