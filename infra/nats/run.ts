import { parseNatsArguments, usage, type NatsArguments } from './arguments.ts'
import { generateNatsConfiguration, type Generated, type GeneratedFile } from './generate.ts'

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
  const { configuration, controlPlane, agents, leftOut } = generated
  const line = ({ path, was }: GeneratedFile) => `  ${was.padEnd(7)}  ${path}\n`
  const url = `nats://${wanted.listen}`
  return [
    line({ path: configuration, was: 'written' }),
    ...[controlPlane, ...agents].map(line),
    ...leftOut.map((path) => `  unused   ${path} (a region that is not listed cannot connect)\n`),
    '\nThe server:\n',
    `  nats-server -c ${configuration}\n`,
    '\nA control plane:\n',
    `  NATS_URL=${url} NATS_CREDENTIALS=${controlPlane.path}\n`,
    '\nAn agent:\n',
    ...agents.map(
      ({ region, path }) => `  REGION=${region} NATS_URL=${url} AGENT_CREDENTIALS=${path}\n`,
    ),
    '\nThe .nk files are secrets: give each machine its own only.\n',
    isLoopback(wanted.listen)
      ? ''
      : 'What travels is not encrypted until tls is set, in a file that includes this one.\n',
  ].join('')
}

const isLoopback = (listen: string): boolean => /^(127\.|localhost:|\[::1\])/.test(listen)
