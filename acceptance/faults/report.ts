import type { RunStamp } from './run-stamp.ts'
import type { Verdict } from './verdict.ts'

export type Run = RunStamp & { verdicts: readonly Verdict[] }

/** The output of `npm run faults`: three lines per fault. */
export const printedReport = ({ verdicts }: Run): string =>
  [
    ...verdicts.map(
      ({ row, verdict, measured, passed }) =>
        `${row.id}  ${verdict.padEnd(8)}  ${row.fault}\n` +
        `      promise   ${row.promise}\n` +
        `      figure    ${[...measured, passed].join('; ')}` +
        (row.notShown === null ? '' : `\n      not shown ${row.notShown}`),
    ),
    summaryOf(verdicts),
  ].join('\n')

/** The table of `docs/reliability.md`: every fault, its promise, its tests and their last result. */
export const reliabilityDocument = (run: Run): string => `\
# What Probe Mesh survives

Written by \`npm run faults\` on ${run.date}, of ${run.commit}, on ${run.machine}. Do not edit.

Each row is a fault, the promise for it, and the results of the tests that cause it (\`acceptance/faults/rows\` names them). \`kept\`
means that all tests ran and passed; \`unproven\` means that a test did not run. Faults of servers and processes use real servers and processes.

A shorter set runs with every change: \`npm test\` and \`npm run acceptance -- each-change\` run all of these files except \`acceptance/faults/proofs\`, \`acceptance/mesh/cut-off\`, \`acceptance/errors/kill*\`, \`infra/deploy/nats/cluster\` and
\`infra/deploy/nats/leaf-cut\`, and kills five times where this run kills fifty times.

${summaryOf(run.verdicts)}

| fault | promise | figure | verdict |
| --- | --- | --- | --- |
${documentRows(run.verdicts).join('\n')}
`

const summaryOf = (verdicts: readonly Verdict[]): string => {
  const count = (verdict: Verdict['verdict']) => verdicts.filter((one) => one.verdict === verdict).length
  return `${verdicts.length} faults: ${count('kept')} kept, ${count('broken')} broken, ${count('unproven')} unproven.`
}

/** A figure of several faults stands in the first row that has it. */
const documentRows = (verdicts: readonly Verdict[]): string[] => {
  const rowOf = new Map<string, string>()
  return verdicts.map(({ row, verdict, measured, passed }) => {
    const figures = measured.map((figure) => {
      const first = rowOf.get(figure)
      rowOf.set(figure, first ?? row.id)
      return first === undefined ? figure : `as ${first}`
    })
    const shown = verdict === 'kept' ? figures : [...figures, passed]
    return `| **${row.id}** ${cell(row.fault)} | ${cell(row.promise)}${
      row.notShown === null ? '' : ` Not shown: ${cell(row.notShown)}.`
    } | ${cell(shown.join('; '))} | ${verdict === 'kept' ? 'kept' : `**${verdict}**`} |`
  })
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
