// `npm run bench -- [names] [--quick]`: measures what things cost.
import { benches } from './src/benches.ts'
import { parseCommandLine } from './src/command-line.ts'
import { runGate } from './src/gate.ts'
import { runBench } from './src/harness/run-bench.ts'
import { compareBenches } from './src/report/compare.ts'
import { writeReadme } from './src/report/readme.ts'

const log = (line: string): void => console.error(line)
const print = (line: string): void => console.log(line)

const derive = async (): Promise<void> => {
  if (await writeReadme()) log('wrote the tables of bench/README.md')
}

const main = async (): Promise<void> => {
  const command = parseCommandLine(process.argv.slice(2), benches)
  switch (command.kind) {
    case 'help':
      return print(command.text)
    case 'wrong':
      log(command.problem)
      process.exitCode = 2
      return
    case 'compare':
      if (await compareBenches(command, print)) process.exitCode = 1
      return
    case 'gate':
      if (!(await runGate({ ...command, log, print }))) process.exitCode = 1
      return
    case 'derive':
      return derive()
    case 'run':
      for (const bench of benches) {
        if (!command.names.includes(bench.name)) continue
        await runBench(bench, { ...command, log, print }).catch((error: unknown) => {
          // the other benches can still run
          console.error(error)
          process.exitCode = 1
        })
      }
      if (!command.quick) await derive()
      return
    default:
      return command satisfies never
  }
}

await main()
