import type { Verdict } from './verdict.ts'

export type Run = {
  /** Unix ms. */
  at: number
  machine: string
  commit: string
  verdicts: readonly Verdict[]
}

/** What `npm run faults` prints: three lines a fault. */
export const printedReport = ({ verdicts }: Run): string =>
  [
    ...verdicts.map(
      ({ row, verdict, figure }) =>
        `${row.id}  ${verdict.padEnd(8)}  ${row.fault}\n` +
        `      promise   ${row.promise}\n` +
        `      figure    ${figure}` +
        (row.notShown === null ? '' : `\n      not shown ${row.notShown}`),
    ),
    summaryOf(verdicts),
  ].join('\n')

/** `docs/reliability.md`: every fault, what is promised, by what it is shown, and the last result. */
export const reliabilityDocument = (run: Run): string => `\
# What Probe Mesh survives

Written by \`npm run faults\` on ${new Date(run.at).toISOString().slice(0, 10)}, of ${run.commit}, on ${run.machine}. Do not edit.

Each row is a fault, what is promised when it happens, the tests that make it happen, and what became of them in that run. \`kept\`
means that all of them ran and passed; \`unproven\` that one of them did not run. Real servers and real processes wherever the fault is one of theirs.

${summaryOf(run.verdicts)}

| fault | promise | figure | verdict |
| --- | --- | --- | --- |
${run.verdicts.map(documentRow).join('\n')}

## By what each is shown

${run.verdicts.map(documentProofs).join('\n\n')}
`

const summaryOf = (verdicts: readonly Verdict[]): string => {
  const count = (verdict: Verdict['verdict']) =>
    verdicts.filter((one) => one.verdict === verdict).length
  return `${verdicts.length} faults: ${count('kept')} kept, ${count('broken')} broken, ${count('unproven')} unproven.`
}

const documentRow = ({ row, verdict, figure }: Verdict): string =>
  `| **${row.id}** ${cell(row.fault)} | ${cell(row.promise)}${
    row.notShown === null ? '' : ` Not shown: ${cell(row.notShown)}.`
  } | ${cell(figure)} | ${verdict === 'kept' ? 'kept' : `**${verdict}**`} |`

const documentProofs = ({ row }: Verdict): string =>
  [
    `**${row.id}**`,
    '',
    ...row.proofs.map(({ file, test }) => `- \`${file}\`${test === undefined ? '' : `: ${test}`}`),
  ].join('\n')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
