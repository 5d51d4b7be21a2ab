import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configurationReference, programs } from './configuration-reference.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('docs/reference/configuration.md equals the output of `npm run docs`', () => {
  const file = readFileSync(`${root}docs/reference/configuration.md`, 'utf8')
  expect(file).toBe(configurationReference())
})

test('describes every variable in a sentence, with a default or "required"', () => {
  for (const { environment } of programs) {
    for (const [name, { meaning, absent }] of Object.entries(environment)) {
      expect(meaning, name).toMatch(/^[A-Z`].*\.$/)
      expect(absent, name).not.toBe('')
    }
  }
})

/** Variables of the operating system, Node or npm, or passed from a process of ours to its child. */
const ofOthers = new Set(
  'PATH TZ INIT_CWD npm_execpath NODE_ENV DEV NODE_COMPILE_CACHE SOAK FAULTS SCENARIO_SECONDS TERM LANG LC_ALL no_proxy LC_CTYPE RES_OPTIONS NODE_USE_ENV_PROXY NODE_TLS_REJECT_UNAUTHORIZED TF_LOG TF_PLUGIN_MAGIC_COOKIE PLUGIN_PROTOCOL_VERSIONS PLUGIN_CLIENT_CERT'.split(
    ' ',
  ),
)

test('contains every variable that a source file reads', () => {
  const known = new Set(programs.flatMap(({ environment }) => Object.keys(environment)))
  const sources = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => !/\.test\.ts$|\/testing|^bench\//.test(file))
  const unknown = sources.flatMap((file) =>
    [...readFileSync(root + file, 'utf8').matchAll(/\b(?:environment|env)\??\.?\['([A-Za-z_]+)'\]/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name) && !ofOthers.has(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(unknown).toEqual([])
})
