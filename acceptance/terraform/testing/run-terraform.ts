import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const actMsMax = 120_000
const outputBytesMax = 32 * 1024 * 1024

export type Ran = { exitCode: number | null; out: string; err: string }

/** A folder with a configuration, its state, and the built provider instead of a released one. */
export type TerraformFolder = {
  readonly folder: string
  write(configuration: string, name?: string): Promise<void>
  /** Runs to completion, without colours or prompts. */
  terraform(...args: string[]): Promise<Ran>
  /** Starts a command, for a test that interferes with it. */
  start(...args: string[]): { pid: number; ended: Promise<Ran> }
  /** The resources in the state, by address. */
  resources(): Promise<Record<string, Record<string, unknown>>>
  close(): Promise<void>
}

/** The built provider in its folder. */
export type BuiltProvider = { folder: string; close(): Promise<void> }

export const buildProvider = async (): Promise<BuiltProvider> => {
  const folder = await mkdtemp(join(tmpdir(), 'provider-'))
  const args = [join(root, 'terraform/build.ts'), folder]
  await run(process.execPath, args, { cwd: root, timeout: actMsMax })
  return { folder, close: () => rm(folder, { recursive: true, force: true }) }
}

export const openTerraformFolder = async (options: {
  /** The folder of the built provider; null: the environment names a running one. */
  providerFolder: string | null
  /** Instead: a filesystem mirror, from which `init` installs the provider. */
  mirrorFolder?: string
  environment: Record<string, string>
  /** Default: the first in PATH. */
  program?: string
  /** The time limit of one run; default two minutes. */
  actMsMax?: number
}): Promise<TerraformFolder> => {
  const folder = await mkdtemp(join(tmpdir(), 'terraform-'))
  const settings = join(folder, 'settings.tfrc')
  await writeFile(settings, `provider_installation {\n${installation(options)}}\n`)
  const work = join(folder, 'work')
  await mkdir(work)
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_CLI_ARGS: '-no-color',
    CHECKPOINT_DISABLE: '1',
    ...options.environment,
  }
  const start: TerraformFolder['start'] = (...args) => {
    const child = spawn(options.program ?? 'terraform', args, {
      cwd: work,
      env: environment,
      timeout: options.actMsMax ?? actMsMax,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.out.length < outputBytesMax) output.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (output.err.length < outputBytesMax) output.err += text
    })
    const ended = new Promise<Ran>((resolve, reject) => {
      child.on('error', (cause) => {
        const message = 'no terraform: install 1.5 or newer so that it is in PATH'
        reject(new Error(message, { cause }))
      })
      child.on('close', (exitCode) => resolve({ exitCode, ...output }))
    })
    return { pid: child.pid ?? 0, ended }
  }
  const terraform: TerraformFolder['terraform'] = (...args) => start(...args).ended
  return {
    folder: work,
    write: (configuration, name = 'main.tf') => writeFile(join(work, name), configuration),
    terraform,
    start,
    resources: async () => {
      const { out } = await terraform('show', '-json')
      const shown = JSON.parse(out)
      const listed: { address: string; values: Record<string, unknown> }[] =
        shown.values?.root_module?.resources ?? []
      return Object.fromEntries(listed.map(({ address, values }) => [address, values]))
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Configured location of the provider. */
const installation = (from: { providerFolder: string | null; mirrorFolder?: string }): string => {
  const { providerFolder, mirrorFolder } = from
  const names = '"probe-mesh/service"'
  if (mirrorFolder !== undefined) {
    return `  filesystem_mirror {
    path = "${mirrorFolder}"
    include = [${names}]
  }
  direct {
    exclude = [${names}]
  }
`
  }
  const overrides = `  dev_overrides {\n    ${names} = "${providerFolder}"\n  }\n`
  return `${providerFolder === null ? '' : overrides}  direct {}\n`
}
