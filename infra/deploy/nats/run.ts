import { isLoopback, parseNatsArguments, type LeafArguments, type NatsArguments } from './arguments.ts'
import { generateNatsConfiguration, type Generated } from './generate.ts'
import { keysFolder, type KeptFile } from './keyring.ts'
import { generateLeaf, type GeneratedLeaf } from './leaf.ts'
import { leafName } from './register.ts'

export type Output = { out(text: string): void; error(text: string): void }

/** Runs the command. @returns the exit code: 0 if all files are written, else 1 */
export const runNatsConfig = async (args: readonly string[], output: Output): Promise<number> => {
  const parsed = parseNatsArguments(args)
  if (parsed.kind === 'help') {
    output.out(parsed.text)
    return 0
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) output.error(`nats-config: ${problem}\n`)
    output.error('nats-config: see --help\n')
    return 1
  }
  try {
    if (parsed.kind === 'leaf') {
      output.out(leafReport(parsed.arguments, await generateLeaf(parsed.arguments, Date.now())))
      return 0
    }
    output.out(report(parsed.arguments, await generateNatsConfiguration(parsed.arguments)))
    return 0
  } catch (error) {
    output.error(`nats-config: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

const line = ({ path, was }: KeptFile) => `  ${was.padEnd(7)}  ${path}\n`

const urlOf = ({ tls, listen }: Pick<NatsArguments, 'tls' | 'listen'>): string =>
  `${tls === null ? 'nats' : 'tls'}://${listen}`

/** Lists the files of the leaf node, and the commands for it and its agents. */
const leafReport = (wanted: LeafArguments, generated: GeneratedLeaf): string => {
  const { region, outDir } = wanted
  const { folder, configuration, files } = generated
  return [
    line({ path: configuration, was: 'written' }),
    ...files.map(line),
    `\nThe leaf node of ${region} needs only ${folder}:\n`,
    `  nats-server -c ${configuration} --name ${leafName(region)}\n`,
    '\nAn agent next to it:\n',
    `  npm run -s admin -- agent enroll --region ${region} --keys ${outDir}\n`,
    `  REGION=${region} NATS_URL=${urlOf(wanted)} AGENT_CREDENTIALS=agent-${region}-1.creds\n`,
    '\nAfter a revocation in the region, in addition to the servers of the mesh:\n',
    `  NATS_URL=${urlOf(wanted)} npm run -s admin -- agent tell --leaf ${region} --keys ${outDir}\n`,
    wanted.tls !== null || isLoopback(wanted.listen) ? '' : 'Traffic is not encrypted.\n',
  ].join('')
}

/** Lists the written files and the commands for each process. */
const report = (wanted: NatsArguments, generated: Generated): string => {
  const { configuration, accounts, controlPlane, keys, closed } = generated
  const url = urlOf(wanted)
  return [
    ...[configuration, accounts].map((path) => line({ path, was: 'written' })),
    ...[controlPlane, ...keys].map(line),
    ...closed.map((region) => `  closed   ${region} (its agents cannot connect)\n`),
    '\nTo start a server, and to update running servers:\n',
    ...(wanted.cluster?.servers ?? [null]).map(
      (server) =>
        `  nats-server -c ${configuration}${server === null ? '' : ` --name ${server.split(':')[0]}`}\n`,
    ),
    `  NATS_URL=${url} npm run -s admin -- agent tell --keys ${wanted.outDir}\n`,
    '\nA control plane:\n',
    `  NATS_URL=${url} NATS_CREDENTIALS=${controlPlane.path}\n`,
    '\nAn agent, after its enrolment:\n',
    ...wanted.regions.flatMap((region) => [
      `  npm run -s admin -- agent enroll --region ${region} --keys ${wanted.outDir} --out agent-${region}.creds\n`,
      `  REGION=${region} NATS_URL=${url} AGENT_CREDENTIALS=agent-${region}.creds\n`,
    ]),
    `\nThe files in ${keysFolder(wanted.outDir)} can issue credentials for every agent. No server needs them: keep them secret.\n`,
    wanted.tls !== null || isLoopback(wanted.listen) ? '' : 'Traffic is not encrypted.\n',
  ].join('')
}
