// The programs that an installed copy starts. Plain JavaScript: the launcher reads it.

/**
 * V8 lets each of two halves for new objects grow to 16 MiB or more before it collects them, and keeps what they once
 * took. 8 MiB cost no CPU; with 4 MiB, a limit of the whole heap or --optimize-for-size a check costs 10 to 50 % more.
 */
const lasting = ['--max-semi-space-size=8']
/**
 * After each collection V8 lets the rest of the heap grow to twice what lives, not up to four times: 10 MiB less with
 * 10,000 checks at no cost. With half of what lives, a check costs an eighth more.
 */
const small = [...lasting, '--heap-growing-percent=100']
/** A command ends before limits matter. */
const brief = []

/** @type {import('./programs.d.mts').Program[]} */
export const programs = [
  { name: 'all-in-one', entry: 'infra/start/all-in-one/main.ts', flags: lasting },
  { name: 'control-plane', entry: 'infra/start/processes/control-plane.ts', flags: lasting },
  { name: 'agent', entry: 'infra/start/processes/agent.ts', flags: small },
  { name: 'mcp-gateway', entry: 'infra/start/processes/mcp-gateway.ts', flags: lasting },
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

/**
 * The flags that a unit or an image cannot set in NODE_OPTIONS, unless the command line has them: V8 takes them later.
 * @param {import('./programs.d.mts').Program} program
 * @param {readonly string[]} given
 */
export const lateFlags = (program, given) =>
  nodeFlags(program, given.join(' ')).filter((flag) => !process.allowedNodeEnvironmentFlags.has(nameOf(flag)))

/**
 * The environment of every program. Each thread of Node takes memory from a pool of its own, which stays as large as it
 * once was; V8's own memory is not in them.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: '2' }

/** Node takes `_` for `-` in names. */
const nameOf = (flag) => (flag.split('=')[0] ?? '').replaceAll('_', '-')
