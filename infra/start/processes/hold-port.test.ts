import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { holdPort } from './hold-port.ts'

test('holds a port until its release, and refuses a used port with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const address = { host: '127.0.0.1', port }
  await expect(holdPort(address)).rejects.toThrow(/another program uses it.*set PORT/)
  other.close()
  await once(other, 'close')
  const held = await holdPort(address)
  await expect(holdPort(address)).rejects.toThrow(/another program uses it/)
  await held.release()
  await held.release()
  await (await holdPort(address)).release()
})
