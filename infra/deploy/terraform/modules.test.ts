import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { secretLines } from '../testing/secrets.ts'
import { programs, type ProgramName } from '../testing/programs.ts'

/**
 * The modules that create machines, checked by Terraform: validated with the provider's schemas and planned
 * with a mock provider. No cloud account is used.
 */
const here = fileURLToPath(new URL('.', import.meta.url))
const modules = ['control-plane', 'probe-region'] as const
const run = promisify(execFile)
/** A local mirror of the provider, if any; else Terraform downloads it. */
const mirror = [process.env['TF_PLUGIN_MIRROR'] ?? '', '/opt/tf-plugins'].find(
  (path) => path !== '' && existsSync(path),
)

const folder = testFolder('modules-')
beforeAll(async () => {
  const installation =
    mirror === undefined ? 'direct {}' : `filesystem_mirror { path = ${JSON.stringify(mirror)} }`
  await writeFile(join(folder, 'settings.tfrc'), `provider_installation {\n  ${installation}\n}\n`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const terraform = async (cwd: string, ...args: string[]): Promise<string> => {
  const { stdout } = await run('terraform', args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TF_CLI_CONFIG_FILE: join(folder, 'settings.tfrc'),
      TF_DATA_DIR: join(folder, 'data'),
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 110_000,
  })
  return stdout
}

test('are formatted like Terraform formats them', async () => {
  for (const name of modules) {
    expect([name, await terraform(join(here, name), 'fmt', '-check', '-no-color')]).toEqual([name, ''])
  }
})

test('contain no secret, and start programs with known variables only', async () => {
  const started: [string, ProgramName][] = [
    ['control-plane', 'control-plane'],
    ['control-plane', 'mcp-gateway'],
    ['probe-region', 'agent'],
  ]
  for (const [name, program] of started) {
    const script = await readFile(join(here, name, 'start.sh.tftpl'), 'utf8')
    const containers = script.split('docker run ').slice(1)
    const mine = containers.filter((text) =>
      text.includes(`--name ${program === 'mcp-gateway' ? 'gateway' : program} `),
    )
    expect([program, mine.length]).toEqual([program, 1])
    const text = `${mine[0]}${name === 'control-plane' ? (/common="([\s\S]*?)\ndocker/.exec(script)?.[1] ?? '') : ''}`
    const given = [...text.matchAll(/--env ([A-Z_]+)=/g)].map((match) => match[1] ?? '')
    expect(given.length).toBeGreaterThan(3)
    expect([program, given.filter((variable) => !programs[program].knows.has(variable))]).toEqual([
      program,
      [],
    ])
    expect(script).toContain('--user 10001:10001 --read-only --cap-drop ALL --security-opt no-new-privileges')
  }
  for (const name of modules) {
    for (const file of await readdir(join(here, name))) {
      if (!/\.(tf|tftpl|hcl)$/.test(file)) continue
      expect([file, secretLines(await readFile(join(here, name, file), 'utf8'))]).toEqual([file, []])
    }
  }
})

test(
  'are valid for Terraform, and plan closed and encrypted machines without secrets',
  { timeout: 120_000 },
  async () => {
    const root = join(folder, 'root')
    await mkdir(root)
    for (const name of modules) await cp(join(here, name), join(root, name), { recursive: true })
    await writeFile(join(root, 'main.tf'), await readFile(join(here, 'testing', 'both-modules.tf'), 'utf8'))
    await cp(join(here, 'testing', 'both-modules.tftest.hcl'), join(root, 'both-modules.tftest.hcl'))
    await terraform(root, 'init', '-backend=false', '-input=false', '-no-color')
    expect(JSON.parse(await terraform(root, 'validate', '-json'))).toMatchObject({
      valid: true,
      error_count: 0,
      warning_count: 0,
    })
    expect(await terraform(root, 'test', '-no-color')).toMatch(/Success! [1-9]\d* passed, 0 failed/)
  },
)
