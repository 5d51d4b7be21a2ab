import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseRegionArguments, usage } from './arguments.ts'
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
    console.log(usage)
    return 0
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) console.error(`region: ${problem}`)
    console.error('region: see --help')
    return 1
  }
  try {
    return await bringUp(parsed.arguments, { terraform, nowMs: Date.now() })
  } catch (error) {
    console.error(`region: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

process.exitCode = await main()
