import { findDebianBinary } from './debian-binary.ts'

/** Debian's stable release holds 2.10: what the bus must do with. */
const natsServer = {
  package: 'nats-server',
  names: ['nats-server'],
  path: 'usr/sbin/nats-server',
  suite: 'trixie',
}

/**
 * The path of a nats-server: the machine's own, or Debian's fetched into this checkout.
 * @throws Error that says what to install
 */
export const findNatsServer = async (): Promise<string> => {
  try {
    return await findDebianBinary(natsServer, { mayFetch: true })
  } catch (error) {
    throw new Error(
      'no nats-server: install version 2.10 or later so that it is in PATH (https://nats.io/download, or apt install nats-server)',
      { cause: error },
    )
  }
}
