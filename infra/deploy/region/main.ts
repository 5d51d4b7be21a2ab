import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseRegionArguments } from './arguments.ts'
import { bringUp } from './bring-up.ts'

const module = fileURLToPath(new URL('../terraform/probe-region', import.meta.url))

const terraform = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> => {
  const child = spawn('terraform', [`-chdir=${module}`, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

const main = async (): Promise<number> => {
  const parsed = parseRegionArguments(process.argv.slice(2), process.env)
  if (parsed.kind === 'help') {
    console.log(parsed.text)
    return 0
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) console.error(`region: ${problem}`)
    console.error('region: see --help')
    return 1
  }
  const { keys, region, secretsKey } = parsed.arguments
  if (secretsKey === null && !existsSync(join(keys, 'agents', `region-key-${region}`))) {
    console.error(
      `region: SECRETS_KEY is not set, so the agents of ${region} get no REGION_KEY and measure no check with secrets`,
    )
  }
  try {
    return await bringUp(parsed.arguments, { terraform, nowMs: Date.now() })
  } catch (error) {
    console.error(`region: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

process.exitCode = await main()
