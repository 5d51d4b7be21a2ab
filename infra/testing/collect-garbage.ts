import { setTimeout as elapse } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects what nobody holds any more; turns of the loop between, in which weak references let go. */
export const collectGarbage = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await elapse(1)
  }
}
