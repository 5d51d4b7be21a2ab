import type { Case } from './cases/case.ts'
import { standingOf } from './judge.ts'
import type { Taken } from './judge.ts'

/** A case with what came of it, and what each said. */
export type Measured = Omit<Case, 'answer'> & { taken: Taken; note: string }
export type MeasuredClass = { name: string; cases: readonly Measured[] }

/** What the cases came to, as figures. */
export const figuresOf = (classes: readonly MeasuredClass[]) => {
  const cases = classes.flatMap((each) => each.cases)
  const standing = (which: string) => cases.filter(({ taken }) => standingOf(taken) === which).length
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
/** As a table has it. */
export const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`)

/** The document: all cases with what Chromium, curl and the agent made of them. */
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

Each case is an answer as raw bytes, a TLS set-up or a habit of redirects, played by a server of its own to a
real Chromium, to \`curl -L --compressed -b ''\` and to the agent. Where Chromium commits a status and curl exits 0
with it, the agent says that status; where neither does, it says why there is no answer. Where they differ the
agent says what is told here.

- ${classes.length} classes, ${cases} cases, ${published} of them published by others or reported as bugs
- ${answers} that Chromium and curl read, with the same status
- ${refusals} that neither reads
- ${divided} on which they differ
- ${exceptions} on which the agent differs from both, for safety alone: ${exceptionsOf(classes)}

Measured with ${versions}. With every change, \`npm test\` plays all of it to the agent, and fails where that says
other than these tables: they are the record of what browsers and curl said. \`npm test -- acceptance/http-corpus\`
plays it to all three, in some minutes, and fails where one is off, or where the record is not what it found; with
\`CORPUS_DOCUMENT=write\` it writes this document.

${sections.join('\n')}`
}

const row = ({ name, rule, source = '', taken }: Measured): string =>
  `| ${[name, cell(taken.chromium), cell(taken.curl), cell(taken.ours), rule, source].map(escaped).join(' | ')} |`

const exceptionsOf = (classes: readonly MeasuredClass[]): string =>
  classes
    .flatMap(({ cases }) => cases)
    .flatMap(({ name, exception }) => (exception === undefined ? [] : [`${name} (${exception})`]))
    .join('; ')
