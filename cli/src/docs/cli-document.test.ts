import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { flag, text, type CommandSpec } from '../command-line/command-spec.ts'
import { allCommands } from '../commands/all-commands.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { cliDocument, commandSection } from './cli-document.ts'

const document = cliDocument(allCommands)
const blocks = (language: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)

test('docs/cli.md matches the commands: else run `npm run docs`', async () => {
  const written = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  expect(written).toBe(document)
})

test('the example file is valid', () => {
  for (const yaml of blocks('yaml')) expect(parseChecksFile(yaml, 'yaml')).toMatchObject({ ok: true })
  expect(blocks('yaml')).toHaveLength(1)
})

test('documents every option and example of a command', () => {
  for (const { options, examples } of allCommands) {
    for (const { flags } of Object.values(options)) expect(document).toContain(`\`${flags}\``)
    for (const [line] of examples) expect(blocks('sh').join('')).toContain(`${line}\n`)
  }
})

test('every link has a target', () => {
  const headings = [...document.matchAll(/^### (probe-mesh .*)$/gm)].map(([, title = '']) =>
    title.replaceAll(' ', '-'),
  )
  const targets = [...document.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target)
  expect(targets).toStrictEqual(headings)
  expect(targets).toHaveLength(allCommands.length)
})

describe('text in a table', () => {
  const spec: CommandSpec = {
    name: 'a',
    summary: 'Reads a | b, *c* and [d]',
    positional: [{ name: '<e>', description: 'f | <g> and _h' }],
    options: {
      level: text('--level <level>', 'i', { choices: ['low', 'high'] }),
      flag: flag('--flag', 'j'),
    },
    examples: [['service a e', 'reads']],
    load: () => Promise.reject(new Error('is not called')),
  }

  test('stays in its cell and is not markup', () => {
    expect(commandSection(spec).join('\n')).toBe(`### probe-mesh a

Reads a \\| b, \\*c\\* and \\[d\\].

\`\`\`text
probe-mesh a [options] <e>
\`\`\`

| argument |  |
| --- | --- |
| \`<e>\` | f \\| &lt;g> and \\_h |

| option |  |
| --- | --- |
| \`--level <level>\` | i: \`low\`, \`high\` |
| \`--flag\` | j |

\`\`\`sh
# reads
service a e
\`\`\`
`)
  })
})
