// A process with a frozen part, for a test that kills it. Prints the pid of the part.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCommandPart } from './command-part.ts'

const [folder = ''] = process.argv.slice(2)
const ready = join(folder, 'ready')
const part = createCommandPart({
  name: 'a part',
  command: ['/bin/sh', '-c', `echo $$ > ${ready}; sleep 600; true`],
  environment: {},
  logFile: join(folder, 'log'),
  isReady: async () => (await readFile(ready, 'utf8')).endsWith('\n'),
})
await part.start()
part.pause()
process.send?.(Number(await readFile(ready, 'utf8')))
