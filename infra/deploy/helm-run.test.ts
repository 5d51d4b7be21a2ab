import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { beforeAll, expect, test, type TestContext } from 'vitest'
import { makeChart } from '../release/chart.ts'
import { recordFigure } from '../testing/figure.ts'
import { testFolder } from '../testing/folder.ts'
import {
  chart,
  everything,
  objectsOf,
  plain,
  readChart,
  renderAll,
  renderFiles,
  type Thing,
  type Values,
} from './testing/chart.ts'
import { findHelm } from './testing/helm.ts'

/** The chart in a real Helm, without a cluster. */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = testFolder('helm-')
let found: string | null

beforeAll(async () => {
  found = await findHelm()
}, 300_000)

/** Helm's output, or that of its failure. Skips the test, with the reason, where there is no Helm. */
const helm = async (context: TestContext, ...args: string[]): Promise<string> => {
  if (found === null) context.skip('there is no Helm in PATH, and none for this kind of machine')
  const { stdout, stderr } = await run(found ?? '', args, {
    env: { HOME: folder, PATH: '' },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  }).catch((error: { stdout: string; stderr: string }) => ({ ...error, stdout: `failed: ${error.stdout}` }))
  return stdout.startsWith('failed: ') ? `${stdout}${stderr}` : stdout
}
const fileOf = async (given: Values): Promise<string> => {
  const file = join(folder, 'values.json')
  await writeFile(file, JSON.stringify(given))
  return file
}
const byName = (things: Thing[]): Thing[] =>
  things.toSorted((a, b) => (`${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1))

const cases: [string, () => Values][] = [
  ['as it is with a registry', () => plain()],
  ['with every option', everything],
  [
    'without agents and policies',
    () =>
      plain((given) => {
        given['agents'].enabled = false
        given['networkPolicy'].enabled = false
      }),
  ],
  [
    'with agents that nobody reads',
    () =>
      plain((given) => {
        given['controlPlane'].enabled = false
        given['networkPolicy'].metricsFrom = []
        given['image'].digests = { agent: `sha256:${'a'.repeat(64)}` }
      }),
  ],
]

test.for(cases)('renders the chart %s as our own reader does, notes too', async ([, values], context) => {
  const file = await fileOf(values())
  const rendered = await helm(context, 'template', 'mesh', chart, '--values', file)
  expect(byName(objectsOf(rendered))).toEqual(byName(renderAll(values())))
  const installed = await helm(context, 'install', 'mesh', chart, '--values', file, '--dry-run=client')
  expect(installed.split('NOTES:\n')[1]?.trim()).toBe(renderFiles(values()).get('NOTES.txt')?.trim())
})

test('finds nothing to complain of in the chart', async (context) => {
  const said = await helm(context, 'lint', chart, '--strict', '--values', await fileOf(everything()))
  expect(said).toMatch(/1 chart\(s\) linted, 0 chart\(s\) failed/)
  expect(said).not.toMatch(/WARNING|ERROR/)
  await recordFigure(context, `linted and rendered by Helm ${await helm(context, 'version', '--short')}`)
})

test('refuses a chart without a registry, and says what to do', async (context) => {
  expect(await helm(context, 'template', 'mesh', chart)).toMatch(
    /^failed: [\s\S]*image\.registry is not set, and no public registry has the images\. Push them/,
  )
})

test('refuses every wrong value at once, before it renders', async (context) => {
  const wrong = plain((given) => {
    given['colour'] = 'red'
    given['agents'].replicas = 0
    given['gateway'].environment = { GATEWAY_KEY: 'x' }
    given['nats'].urls = ['nats://nats:4222']
  })
  const said = await helm(context, 'template', 'mesh', chart, '--values', await fileOf(wrong))
  for (const at of ["'colour'", "'/agents/replicas'", "propertyName 'GATEWAY_KEY'", "'/nats/urls/0'"]) {
    expect(said).toContain(at)
  }
})

test('renders the chart of a release, of its version and without a checkout, and twice the same', async (context) => {
  const release = {
    root,
    out: folder,
    version: '9.8.7-rc.1',
    providerVersion: '',
    commit: null,
    time: new Date(0),
  }
  const [artefact] = await makeChart(release)
  const file = join(folder, artefact?.file ?? '')
  const bytes = await readFile(file)
  await makeChart(release)
  expect((await readFile(file)).equals(bytes)).toBe(true)
  const values = await fileOf(everything())
  const rendered = await helm(context, 'template', 'mesh', file, '--values', values)
  const ofCheckout = await helm(context, 'template', 'mesh', chart, '--values', values)
  const { appVersion } = parse(readChart('Chart.yaml')) as { appVersion: string }
  expect(rendered).toBe(ofCheckout.replaceAll(`:${appVersion}`, ':9.8.7-rc.1'))
  expect(await helm(context, 'lint', file, '--strict', '--values', values)).toMatch(/0 chart\(s\) failed/)
})
