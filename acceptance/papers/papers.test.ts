import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { clausesOf, duplicates, missingClauses } from './clauses.ts'
import { createTree, missingFiles } from './named-files.ts'
import { countBanned } from './phrases.ts'
import { readCode, readLineComments } from './source-text.ts'

/** What documents and comments name exists, and what people read is plain. */

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

/** Files of other projects, and former names in migrations, which never change; without their endings. */
const notOurs: ReadonlySet<string> = new Set([
  'docs/Benchmark',
  'src/cart',
  'performance',
  'checks/asked-hosts',
])

/** Banned phrases that are still to be rewritten: this number only falls. */
const bannedMax = 115

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
  test('name no file and no folder that does not exist', () => {
    const missing = [...documents, ...comments].flatMap((one) =>
      missingFiles(one.text, tree)
        .filter((path) => !notOurs.has(path.replace(/\.\w+$/, '')))
        .map((path) => at(one, path)),
    )
    expect(missing).toEqual([])
  })

  test('cite no clause that does not exist', () => {
    const known = new Set(clauses)
    const missing = [...documents, ...comments, ...strings].flatMap((one) =>
      missingClauses(one.text, known).map((id) => at(one, id)),
    )
    expect(missing).toEqual([])
  })

  test('have each clause once, in order, on two lines at most', () => {
    expect(clauses.length).toBeGreaterThan(0)
    expect(duplicates(clauses)).toEqual([])
    const numbers = clauses.map((id) => Number(id.slice('S-'.length)))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(specification).not.toMatch(/^- \*\*S-\d+\*\* .*\n {2}.*\n {2}/m)
  })

  test('have no more banned phrases than are still to be rewritten', () => {
    const read = [...documents, ...strings.filter(({ file, text }) => !isTest(file) && text.includes(' '))]
    const found = read.flatMap(({ file, text }) => Array.from({ length: countBanned(text) }, () => file))
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(bannedMax)
  })
})

describe('what the papers are judged by', () => {
  /** A document's name, put together so that nothing takes it for one of ours. */
  const paper = (name: string): string => `${name}.md`
  const planted = createTree(['README.md', paper('docs/a'), 'infra/web/page.ts', 'runtime/src/loop.ts'])

  test.each([
    ['a file that is not there', 'see `infra/web/gone.ts`', ['infra/web/gone.ts']],
    ['a document that is not there', `(${paper('plans')}, Tiers)`, [paper('plans')]],
    ['a link to a document that is not there', `[a](../${paper('b')}#x)`, [paper('b')]],
    ['a folder that is not there', 'npm test -- infra/gone. So', ['infra/gone']],
    ['a file by the end of its path', `\`web/page.ts\`, loop.ts, [a](${paper('a')})`, []],
    ['a folder that is there', '`acceptance/web`, acceptance/web/', []],
    ['a path that leaves out its end and folders in between', 'infra/web/pa, runtime/loop', []],
    ['a pattern', `\`infra/*/x.ts\`, docs/{a,b}.md, <name>.md`, []],
    [
      "a page's address, and another's file",
      `https://example.org/${paper('c')}, /${paper('d')}, checks.yaml`,
      [],
    ],
  ])('%s', (_what, text, missing) => {
    expect(missingFiles(text, planted)).toEqual(missing)
  })

  test('a clause that is cited and does not exist, and one that is there twice', () => {
    const ids = clausesOf('- **S-101** One.\n- **S-102** Two.\n- **S-101** Again.\n')
    expect(missingClauses('as in S-101 and S-103', new Set(ids))).toEqual(['S-103'])
    expect(duplicates(ids)).toEqual(['S-101'])
  })

  test('banned phrases, in any case and over a line', () => {
    expect(countBanned('Nobody is\ntold, whoever asks.')).toBe(3)
    expect(countBanned('The control plane notifies every channel.')).toBe(0)
  })

  test('comments and texts of code, apart from its expressions and divisions', () => {
    const { comments: read, strings: texts } = readCode(
      "// one\nconst a = b / 2 /* two */ / 3\nconst c = /it's `/.test(d) ? 'three' : `four ${e(\"five\")} six`\n",
    )
    expect(read).toEqual([
      { line: 1, text: '// one' },
      { line: 2, text: '/* two */' },
    ])
    expect(texts.map(({ text }) => text)).toEqual(['three', 'four ', 'five', ' six'])
  })

  test('comments of languages that mark each line', () => {
    expect(readLineComments('select 1 -- why\n# so\na: b')).toEqual([
      { line: 1, text: 'why' },
      { line: 2, text: 'so' },
    ])
  })
})
