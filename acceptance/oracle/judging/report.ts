import { clock, type Facts, type Finding } from './facts.ts'

/** The circumstances of a run, for its report. */
export type Stamp = { date: string; commit: string; machine: string; load: string }

const verdictOf = ({ wrong }: Finding): string => (wrong === 0 ? '' : `${wrong} wrong`)

const headerOf = ({ script, faults, hooks, requests }: Facts): string =>
  `${script.spanMs / 60_000} minutes, seed ${script.seed}: ${faults.length} faults, ` +
  `${script.outages.length} outages, ${script.blips.length} blips of 3 s, ${hooks.size} webhooks, ` +
  `${requests.length} requests`

const faultsText = ({ faults, beganAt }: Facts): string[] =>
  faults.map(({ what, fromMs, toMs }) => {
    const after = Math.round((fromMs - beganAt) / 1_000)
    return `${what} at ${after} s, healed after ${Math.round((toMs - fromMs) / 1_000)} s`
  })

/** The output of a run. */
export const printed = (facts: Facts, findings: readonly Finding[]): string =>
  [
    headerOf(facts),
    `began ${clock(facts.beganAt)}; slots from ${clock(facts.span.fromMs)} to ${clock(facts.span.toMs)}`,
    ...faultsText(facts).map((line) => `  ${line}`),
    ...findings.flatMap((one) => [
      `${one.what.padEnd(78)} ${one.oracle.padStart(24)}  ${one.product.padStart(28)}  ${verdictOf(one)}`,
      ...one.examples.map((example) => `    ${example}`),
    ]),
  ].join('\n')

/** The section of `docs/reliability.md` that a run writes: its totals, and each comparison that is wrong. */
export const oracleSection = (stamp: Stamp, facts: Facts, findings: readonly Finding[]): string => {
  const wrong = findings.filter((one) => one.wrong > 0)
  return `\
## The oracle

Written by \`ORACLE_RECORD=yes npm test -- acceptance/oracle\` on ${stamp.date}, of ${stamp.commit}, on ${stamp.machine},
load ${stamp.load}.

A whole mesh of separate processes (Postgres, ClickHouse, NATS, two control planes, three regions with two agents each,
a gateway) measures 150 checks every 10 s, while one part after another is killed, stopped or cut off. Another process
journals every request at the target and every message to the receiver. Code that is independent of the product
(\`acceptance/oracle/judging\`) compares these journals with the databases and the API.

${headerOf(facts)}. ${findings.length} figures compared, ${wrong.length} wrong.
${wrong.map(({ what, oracle, product }) => `\n- ${what}: ${oracle} by the oracle, ${product} by the product`).join('')}
`
}
