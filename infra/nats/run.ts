import { isLoopback, parseNatsArguments, usage } from './arguments.ts'
import type { NatsArguments } from './arguments.ts'
import { generateNatsConfiguration } from './generate.ts'
import type { Generated } from './generate.ts'
import { keysFolder } from './keyring.ts'
import type { KeptFile } from './keyring.ts'

export type Output = { out(text: string): void; error(text: string): void }

/** The command, from its arguments to its exit code: 0 when all is written, else 1. */
export const runNatsConfig = async (args: readonly string[], output: Output): Promise<number> => {
  const parsed = parseNatsArguments(args)
  if (parsed.kind === 'help') {
    output.out(usage)
    return 0
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) output.error(`nats-config: ${problem}\n`)
    output.error('nats-config: see --help\n')
    return 1
  }
  try {
    output.out(report(parsed.arguments, await generateNatsConfiguration(parsed.arguments)))
    return 0
  } catch (error) {
    output.error(`nats-config: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** What was done, and what each process is given now. */
const report = (wanted: NatsArguments, generated: Generated): string => {
  const { configuration, accounts, controlPlane, keys, closed } = generated
  const line = ({ path, was }: KeptFile) => `  ${was.padEnd(7)}  ${path}\n`
  const url = `${wanted.tls === null ? 'nats' : 'tls'}://${wanted.listen}`
  return [
    ...[configuration, accounts].map((path) => line({ path, was: 'written' })),
    ...[controlPlane, ...keys].map(line),
    ...closed.map((region) => `  closed   ${region} (its agents cannot connect)\n`),
    '\nA server, and those that run already:\n',
    `  nats-server -c ${configuration}\n`,
    `  NATS_URL=${url} npm run -s admin -- agent tell --keys ${wanted.outDir}\n`,
    '\nA control plane:\n',
    `  NATS_URL=${url} NATS_CREDENTIALS=${controlPlane.path}\n`,
    '\nAn agent, once it is let in:\n',
    ...wanted.regions.flatMap((region) => [
      `  npm run -s admin -- agent enroll --region ${region} --keys ${wanted.outDir} --out agent-${region}.creds\n`,
      `  REGION=${region} NATS_URL=${url} AGENT_CREDENTIALS=agent-${region}.creds\n`,
    ]),
    `\nWhoever has the files in ${keysFolder(wanted.outDir)} can let anybody in: no server needs them.\n`,
    wanted.tls !== null || isLoopback(wanted.listen) ? '' : 'What travels is not encrypted.\n',
  ].join('')
}
