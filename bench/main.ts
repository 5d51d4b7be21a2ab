// `npm run bench -- [names] [--quick]`: what things cost, figure by figure.
import { benches } from './src/benches.ts'
import { parseCommandLine } from './src/command-line.ts'
import { compareBenches } from './src/compare/compare-benches.ts'
import { writeDocuments } from './src/documents/documents.ts'
import { runBench } from './src/run-bench.ts'

const say = (line: string): void => console.error(line)
const print = (line: string): void => console.log(line)

const derive = async (): Promise<void> => {
  for (const path of await writeDocuments()) say(`wrote the tables of ${path}`)
}

const main = async (): Promise<void> => {
  const about = [...benches].map(([name, bench]) => ({ name, about: bench.about }))
  const command = parseCommandLine(process.argv.slice(2), about)
  switch (command.kind) {
    case 'help':
      return print(command.text)
    case 'wrong':
      say(command.problem)
      process.exitCode = 2
      return
    case 'compare':
      if (await compareBenches(command, print)) process.exitCode = 1
      return
    case 'derive':
      return derive()
    case 'run':
      for (const [name, bench] of benches) {
        if (!command.names.includes(name)) continue
        await runBench(name, bench, { ...command, say, print }).catch((error: unknown) => {
          // the others may still be measured
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
