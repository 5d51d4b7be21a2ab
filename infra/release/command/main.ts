import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import manifest from '../../../package.json' with { type: 'json' }
import provider from '@probe-mesh/terraform/package.json' with { type: 'json' }
import { billOf, readLock } from '../bill.ts'
import { changelogOf } from '../changelog.ts'
import { makeChart } from '../chart.ts'
import { makeDebianPackages } from '../debian-packages/artefacts.ts'
import { makeImages } from '../images/artefacts.ts'
import { makePackages } from '../packages/artefacts.ts'
import { makeProvider } from '../provider/artefacts.ts'
import type { Artefact, Release } from '../release.ts'
import { problemsOfSigning, sign } from '../sign.ts'
import { makeSingleFiles } from '../single-file/artefacts.ts'
import { manifestFile, manifestOf, sumsFile, sumsOf } from '../sums.ts'

const help = `Makes everything of a release, from the commit that is checked out. The same commit gives the same bytes.

  npm run release -- --dry-run --out DIR
  npm run release -- --dry-run --out DIR --only npm-packages
  npm run release -- --dry-run --out DIR --key FILE      signs SHA256SUMS with minisign

--dry-run   publishes nothing; without it nothing is made yet, since there is no place to publish to
--out       a new or empty folder
--only      single-files, npm-packages, terraform-provider, debian-packages, images, chart: some of it,
            comma-separated
--key       the secret key of minisign
`

/** Archives have local times. */
process.env['TZ'] = 'UTC'
/** What others may not read here, they may read in an archive. */
process.umask(0o022)

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

const makers = {
  'single-files': makeSingleFiles,
  'npm-packages': makePackages,
  'terraform-provider': makeProvider,
  chart: makeChart,
  'debian-packages': (release: Release) => makeDebianPackages(release),
  images: (release: Release) => makeImages(release),
} as const
type Kind = keyof typeof makers

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: root })).stdout.trim()

const isKind = (name: string): name is Kind => name in makers

/** The problems of a command line, all at once. */
const problemsOf = async (given: {
  dryRun: boolean
  out: string
  only: readonly string[]
  key: string | null
}): Promise<string[]> => {
  const problems: string[] = []
  if (!given.dryRun) problems.push('--dry-run is required: there is no place to publish to')
  if (given.out === '') problems.push('--out is required')
  else if ((await readdir(resolve(given.out)).catch(() => [])).length > 0) {
    problems.push(`--out ${given.out} is not empty`)
  }
  // before minutes of work
  if (given.key !== null) problems.push(...(await problemsOfSigning(given.key)))
  const unknown = given.only.filter((name) => !isKind(name))
  if (unknown.length > 0)
    problems.push(`--only knows ${Object.keys(makers).join(', ')}; not ${unknown.join(', ')}`)
  return problems
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`)

const make = async (release: Release, kinds: readonly Kind[], key: string | null): Promise<void> => {
  const { out, version } = release
  await mkdir(out, { recursive: true })
  const artefacts: Artefact[] = []
  for (const kind of kinds) {
    const since = performance.now()
    print(`making ${kind}`)
    const made = await makers[kind](release)
    artefacts.push(...made)
    print(`  ${made.length} files in ${Math.round((performance.now() - since) / 1_000)} s`)
  }
  const document = async (file: string, text: string): Promise<void> => {
    await writeFile(join(out, file), text)
    artefacts.push({ file, kind: 'document', platform: null, modules: [], packages: {} })
  }
  await document('CHANGELOG.md', changelogOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))
  await document('sbom.cdx.json', billOf(release, artefacts, await readLock(root)))
  for (const name of ['LICENSE', 'NOTICE']) await copyFile(join(root, name), join(out, name))
  await writeFile(join(out, manifestFile), await manifestOf(release, artefacts))
  await writeFile(join(out, sumsFile), await sumsOf(out))
  if (key !== null) await sign(join(out, sumsFile), { key, comment: `probe-mesh ${version}` })
  print(`${out} has ${artefacts.length} files of ${version}; ${key === null ? 'not signed' : 'signed'}`)
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      out: { type: 'string', default: '' },
      only: { type: 'string', default: Object.keys(makers).join(',') },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return void process.stdout.write(help)
  const only = values.only.split(',')
  const problems = await problemsOf({
    dryRun: values['dry-run'],
    out: values.out,
    only,
    key: values.key ?? null,
  })
  if (problems.length > 0) {
    process.stderr.write(`${problems.map((problem) => `release: ${problem}`).join('\n')}\n`)
    process.exitCode = 2
    return
  }
  const commit = await git('rev-parse', 'HEAD')
  const release = {
    root,
    out: resolve(values.out),
    version: manifest.version,
    providerVersion: provider.version,
    commit,
    time: new Date(Number(await git('log', '-1', '--format=%ct')) * 1_000),
  }
  await make(release, only.filter(isKind), values.key ?? null)
}

await main()
