import type { Case } from './cases/case.ts'
import { standingOf, type Statuses } from './judge.ts'

/** A case with its results and notes. */
export type Measured = Omit<Case, 'answer'> & { statuses: Statuses; note: string }
export type MeasuredClass = { name: string; cases: readonly Measured[] }

/** The counts of the results. */
export const figuresOf = (classes: readonly MeasuredClass[]) => {
  const cases = classes.flatMap((each) => each.cases)
  const standing = (which: string) => cases.filter(({ statuses }) => standingOf(statuses) === which).length
  return {
    classes: classes.length,
    cases: cases.length,
    answers: standing('answer'),
    refusals: standing('refusal'),
    divided: standing('divided'),
    published: cases.filter(({ source }) => source !== undefined).length,
    exceptions: cases.filter(({ exception }) => exception !== undefined).length,
  }
}

const cell = (status: number | null): string => (status === null ? 'refuses' : String(status))
/** Escapes a cell of a table. */
export const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`)

/** The document: all cases with the results of Chromium, curl and the agent. */
export const corpusDocument = (classes: readonly MeasuredClass[], versions: string): string => {
  const { cases, answers, refusals, divided, published, exceptions } = figuresOf(classes)
  const sections = classes.map(
    ({ name, cases }) => `## ${name}

| case | Chromium | curl | agent | rule | source |
| --- | --- | --- | --- | --- | --- |
${cases.map(row).join('\n')}
`,
  )
  return `# HTTP as browsers read it: the corpus

Each case is an answer as raw bytes, a TLS configuration or a pattern of redirects. A dedicated server plays it to
a real Chromium, to \`curl -L --compressed -b ''\` and to the agent. If Chromium commits a status and curl exits
with 0 and the same status, the agent must report that status; if neither does, the agent must report why there is
no answer. If they differ, the tables record what the agent reports.

- ${classes.length} classes, ${cases} cases, ${published} of them published or reported as bugs elsewhere
- ${answers} that Chromium and curl read with the same status
- ${refusals} that neither reads
- ${divided} on which they differ
- ${exceptions} on which the agent differs from both, for safety only: ${exceptionsOf(classes)}

Measured with ${versions}. The tables are the record of these results. With every change, \`npm test\` plays all cases
to the agent and fails if a result differs from the record. \`npm test -- acceptance/http-corpus\` plays them to all
three, which takes some minutes, and fails if a result is wrong or differs from the record; with \`CORPUS_DOCUMENT=write\` it
writes this document.

${sections.join('\n')}`
}

const row = ({ name, rule, source = '', statuses }: Measured): string =>
  `| ${[name, cell(statuses.chromium), cell(statuses.curl), cell(statuses.ours), rule, source].map(escaped).join(' | ')} |`

const exceptionsOf = (classes: readonly MeasuredClass[]): string =>
  classes
    .flatMap(({ cases }) => cases)
    .flatMap(({ name, exception }) => (exception === undefined ? [] : [`${name} (${exception})`]))
    .join('; ')
