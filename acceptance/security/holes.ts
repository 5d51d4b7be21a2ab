/** What a hole is found by: test files, or the tests of them whose full names match. */
type Proof = { files: readonly string[]; title?: string }

/** One small edit that opens a hole, and the proof that must find it. */
export type Hole = {
  kind:
    | 'addresses'
    | 'routes and scopes'
    | 'tables and isolation'
    | 'pools'
    | 'secrets'
    | 'regular expressions'
  name: string
  file: string
  /** Occurs once in the file. */
  replace: string
  by: string
  proof: Proof
  /** The name or the message of a failed test that names the hole. */
  found: RegExp
}

const matrix = { files: ['acceptance/security/matrix.test.ts'] }
const tables = { files: ['control-plane/src/stores/postgres/isolation.test.ts'] }
const walk = (title: string): Proof => ({ files: ['control-plane/src/http/walk.test.ts'], title })
const logos = { files: ['acceptance/fairness/pools.test.ts'], title: '^logoImages' }
const migrations = 'control-plane/src/stores/postgres/migrations'

export const holes: readonly Hole[] = [
  {
    kind: 'addresses',
    name: 'the product forgets a range',
    file: 'contracts/src/target/address.ts',
    replace: "  { cidr: '100.64.0.0/10', rule: 'carrier_grade_nat' },\n",
    by: '',
    proof: matrix,
    found: /not refused: carrier-grade NAT, on a run/,
  },
  {
    kind: 'addresses',
    name: 'one allowed address of a name is enough',
    file: 'contracts/src/target/pin.ts',
    replace: '!addresses.every(safe)',
    by: '!addresses.some(safe)',
    proof: matrix,
    found: /not refused: private networks, by alias/,
  },
  {
    kind: 'addresses',
    name: 'the data of the proof loses a range',
    file: 'acceptance/security/special-addresses.tsv',
    replace: '100.64.0.0/10\tcarrier-grade NAT\tIANA IPv4\tShared Address Space\tRFC 6598\tno\t\n',
    by: '',
    proof: matrix,
    found: /no range of the data contains 100\.64\.0\.0/,
  },
  {
    kind: 'routes and scopes',
    name: 'a route that writes is open to read keys',
    file: 'contracts/src/check/check-routes.ts',
    replace: "  createCheck: write({\n    method: 'POST',\n",
    by: "  createCheck: write({\n    method: 'POST',\n    scope: 'read' as never,\n",
    proof: walk('^createCheck '),
    found: /^createCheck executes an example/,
  },
  {
    kind: 'routes and scopes',
    name: 'the gate forgets the scope',
    file: 'control-plane/src/http/gate.ts',
    replace: "return writes && caller.scope === 'read' ? refuse('SV-1004') : null",
    by: 'return null',
    proof: walk('^deleteCheck '),
    found: /^deleteCheck is SV-1004 for a read key/,
  },
  {
    kind: 'tables and isolation',
    name: 'a table without row-level security',
    file: `${migrations}/0136-baseline.sql`,
    replace: "call isolate('telemetry_pushes');\n",
    by: '',
    proof: tables,
    found: /has row-level security[^]*telemetry_pushes/,
  },
  {
    kind: 'tables and isolation',
    name: 'a policy that shows all rows',
    file: `${migrations}/0136-baseline.sql`,
    replace: "format('%I = current_account()', account_column)",
    by: "'true'",
    proof: tables,
    found: /only rows of the chosen account are visible/,
  },
  {
    kind: 'tables and isolation',
    name: 'a policy that shows the rows of all checks',
    file: `${migrations}/0136-baseline.sql`,
    replace: "'exists (select from checks where checks.id = check_id)'",
    by: "'true'",
    proof: tables,
    found: /no row can be written for another account/,
  },
  {
    kind: 'pools',
    name: 'a pool without a share of one account',
    file: 'runtime/src/fair-pool-owners.ts',
    replace: 'if (taken >= places || owner.taken >= placesOfOwner) return false',
    by: 'if (taken >= places) return false',
    proof: logos,
    found: /^logoImages gives one account alone its share and no more/,
  },
  {
    kind: 'pools',
    name: 'a pool that takes all accounts for one',
    file: 'control-plane/src/status-pages/logo/logo-encoder.ts',
    replace: 'pool.take(accountId, ',
    by: "pool.take('all', ",
    proof: logos,
    found: /^logoImages gives another account its floor/,
  },
  {
    kind: 'pools',
    name: 'a pool without a row',
    file: 'probe-agent/src/request/large-heads.ts',
    replace: 'bounds: PoolBounds = agentPools.largeHeads.bounds',
    by: 'bounds: PoolBounds = { places: 9, placesOfOwner: 9, waiting: 0, waitingOfOwner: 0 }',
    proof: { files: ['acceptance/fairness/pool-rows.test.ts'] },
    found: /large-heads\.ts names the row largeHeads/,
  },
  {
    kind: 'secrets',
    name: 'a secret goes to any host',
    file: 'probe-agent/src/secrets/fill-request.ts',
    replace: 'to !== null && mayReceive(secret, to)',
    by: 'to !== null',
    proof: { files: ['probe-agent/src/secrets/requests.test.ts'] },
    found: /belongs to another host/,
  },
  {
    kind: 'secrets',
    name: 'a private agent gets secrets that do not name it',
    file: 'control-plane/src/secrets/seal-assignments.ts',
    replace: '(agentId !== null && !row.agents.includes(agentId))',
    by: 'false',
    proof: { files: ['control-plane/src/secrets/readers.test.ts'] },
    found: /by a clone and an edit, when the secret does not name its agent any more/,
  },
  {
    kind: 'secrets',
    name: 'a seal opens for any owner',
    file: 'runtime/src/sealer.ts',
    replace: 'JSON.stringify([version, ...owner])',
    by: 'JSON.stringify([version])',
    proof: { files: ['control-plane/src/secrets/vault.property.test.ts'] },
    found: /does not open for another account/,
  },
  {
    kind: 'secrets',
    name: 'an agent logs a secret',
    file: 'probe-agent/src/secrets/fill-request.ts',
    replace: 'const value = secrets[name]?.value\n',
    by: 'const value = secrets[name]?.value\n      console.log(value)\n',
    proof: { files: ['acceptance/security/security.test.ts'] },
    found: /is in no log, at any log level/,
  },
  {
    kind: 'regular expressions',
    name: 'a header is trimmed by a quadratic expression',
    file: 'probe-agent/src/http1/odd-lines.ts',
    replace: 'value: trimmed(value)',
    by: "value: value.replace(/^[ \\t]+|[ \\t]+$/g, '')",
    proof: { files: ['acceptance/security/long-runs.test.ts'], title: '^a header with a control character' },
    found: /^a header with a control character/,
  },
  {
    kind: 'regular expressions',
    name: 'an expression over foreign text takes quadratic time',
    file: 'error-tracking/events/scrub/key-shapes.ts',
    replace: '/^[!-9;-~]*:[ -~]*$/',
    by: '/^[!-~]*:[ -~]*$/',
    proof: { files: ['infra/start/launch/expressions.test.ts'] },
    found: /every expression of the sources/,
  },
]
