// `npm run judge [-- worlds [first seed]]`: compares answers in generated worlds with the truth.
import { judgeWorld } from './judge.ts'
import { reportText } from './report.ts'
import { addTally, newTally } from './tally.ts'
import { generateWorld } from './world/generate-world.ts'

const [worlds = '100', first = '1'] = process.argv.slice(2)
const tally = newTally()
const startedAt = performance.now()
for (let seed = Number(first); seed < Number(first) + Number(worlds); seed++) {
  addTally(tally, await judgeWorld(generateWorld(seed)))
}
process.stdout.write(`${reportText(tally)}\n`)
process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`)
