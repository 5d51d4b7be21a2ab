import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { clausesOf, duplicates, missingClauses } from './clauses.ts'
import { createTree, missingFiles } from './named-files.ts'
import { countBanned } from './phrases.ts'
import { readCode, readLineComments } from './source-text.ts'

/** The files and clauses that documents and comments name exist, and texts for people are plain. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const bytesMax = 2 * 1024 * 1024
const inGit = existsSync(`${root}/.git`)
const listed = inGit
  ? execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    })
  : ''
const files = listed.split('\n').filter((file) => file !== '' && existsSync(`${root}/${file}`))
const tree = createTree(files)

const isDocument = (file: string): boolean =>
  /^(README|ARCHITECTURE|AGENTS)\.md$|^docs\/.*\.md$|\/README\.md$/.test(file)
const isCode = (file: string): boolean => /\.(ts|tsx|mjs|js)$/.test(file)
const isMarked = (file: string): boolean => /\.(sql|ya?ml|sh|conf|cfg|tf)$/.test(file)
const isTest = (file: string): boolean =>
  /\.test\.ts$|\/testing\/|\/testing\.ts$|contract-suite|\/fixtures?\/|\.fixture\.ts$/.test(file)

/** Files of other projects, and former names in migrations, which never change; without extensions. */
const notOurs: ReadonlySet<string> = new Set([
  'docs/Benchmark',
  'src/cart',
  'performance',
  'checks/asked-hosts',
])

/** Banned phrases that are not rewritten yet. This number may only fall. */
const bannedMax = 0

type Read = { file: string; line: number; text: string }
const documents: Read[] = []
const comments: Read[] = []
const strings: Read[] = []
for (const file of files) {
  if (!(isDocument(file) || isCode(file) || isMarked(file))) continue
  if (statSync(`${root}/${file}`).size > bytesMax) continue
  const text = readFileSync(`${root}/${file}`, 'utf8')
  if (isDocument(file)) {
    for (const [index, line] of text.split('\n').entries())
      documents.push({ file, line: index + 1, text: line })
  } else if (isCode(file)) {
    const read = readCode(text)
    for (const one of read.comments) comments.push({ file, ...one })
    for (const one of read.strings) strings.push({ file, ...one })
  } else {
    for (const one of readLineComments(text)) comments.push({ file, ...one })
  }
}
const specification = inGit ? readFileSync(`${root}/docs/specification.md`, 'utf8') : ''
const clauses = clausesOf(specification)

const at = ({ file, line }: Read, what: string): string => `${file}:${line}: ${what}`

describe.runIf(inGit)('the papers', () => {
  test('name only existing files and folders', () => {
    const missing = [...documents, ...comments].flatMap((one) =>
      missingFiles(one.text, tree)
        .filter((path) => !notOurs.has(path.replace(/\.\w+$/, '')))
        .map((path) => at(one, path)),
    )
    expect(missing).toEqual([])
  })

  test('cite only existing clauses', () => {
    const known = new Set(clauses)
    const missing = [...documents, ...comments, ...strings].flatMap((one) =>
      missingClauses(one.text, known).map((id) => at(one, id)),
    )
    expect(missing).toEqual([])
  })

  test('have each clause once, in order, on at most two lines', () => {
    expect(clauses.length).toBeGreaterThan(0)
    expect(duplicates(clauses)).toEqual([])
    const numbers = clauses.map((id) => Number(id.slice('S-'.length)))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(specification).not.toMatch(/^- \*\*S-\d+\*\* .*\n {2}.*\n {2}/m)
  })

  test('have no more banned phrases than the bound', () => {
    const read = [...documents, ...strings.filter(({ file, text }) => !isTest(file) && text.includes(' '))]
    const found = read.flatMap(({ file, text }) => Array.from({ length: countBanned(text) }, () => file))
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(bannedMax)
  })
})

describe('the checks of the papers', () => {
  /** Builds a document's name, so that no check counts it as one of ours. */
  const paper = (name: string): string => `${name}.md`
  const planted = createTree(['README.md', paper('docs/a'), 'infra/web/page.ts', 'runtime/src/loop.ts'])

  test.each([
    ['a missing file', 'see `infra/web/gone.ts`', ['infra/web/gone.ts']],
    ['a missing document', `(${paper('plans')}, Tiers)`, [paper('plans')]],
    ['a link to a missing document', `[a](../${paper('b')}#x)`, [paper('b')]],
    ['a missing folder', 'npm test -- infra/gone. So', ['infra/gone']],
    ['no file by the end of its path', `\`web/page.ts\`, loop.ts, [a](${paper('a')})`, []],
    ['no existing folder', '`acceptance/web`, acceptance/web/', []],
    ['no path without its extension and folders in between', 'infra/web/pa, runtime/loop', []],
    ['no pattern', `\`infra/*/x.ts\`, docs/{a,b}.md, <name>.md`, []],
    ['no URL and no file of users', `https://example.org/${paper('c')}, /${paper('d')}, checks.yaml`, []],
  ])('find %s', (_what, text, missing) => {
    expect(missingFiles(text, planted)).toEqual(missing)
  })

  test('find a missing clause and a duplicate', () => {
    const ids = clausesOf('- **S-101** One.\n- **S-102** Two.\n- **S-101** Again.\n')
    expect(missingClauses('as in S-101 and S-103', new Set(ids))).toEqual(['S-103'])
    expect(duplicates(ids)).toEqual(['S-101'])
  })

  test('count banned phrases in any case and across lines', () => {
    expect(countBanned('Nobody is\ntold, whoever asks.')).toBe(3)
    expect(countBanned('The control plane notifies every channel.')).toBe(0)
  })

  test('separate comments and texts of code from expressions and divisions', () => {
    const { comments: read, strings: texts } = readCode(
      "// one\nconst a = b / 2 /* two */ / 3\nconst c = /it's `/.test(d) ? 'three' : `four ${e(\"five\")} six`\n",
    )
    expect(read).toEqual([
      { line: 1, text: '// one' },
      { line: 2, text: '/* two */' },
    ])
    expect(texts.map(({ text }) => text)).toEqual(['three', 'four ', 'five', ' six'])
  })

  test('read comments of languages with line comments', () => {
    expect(readLineComments('select 1 -- why\n# so\na: b')).toEqual([
      { line: 1, text: 'why' },
      { line: 2, text: 'so' },
    ])
  })
})
