import { setTimeout as elapse } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Runs the garbage collector, with turns of the event loop between, which clear weak references. */
export const collectGarbage = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await elapse(1)
  }
}
