import { findDebianBinary } from '@probe-mesh/infra/testing/debian-binary'

/** Its 0.26 checks for less CPU than the 0.23 of the release before: the harder peer. */
const blackbox = {
  package: 'prometheus-blackbox-exporter',
  names: ['prometheus-blackbox-exporter', 'blackbox_exporter'],
  path: 'usr/bin/prometheus-blackbox-exporter',
  suite: 'trixie',
}

/**
 * The path of a blackbox_exporter: the machine's own, or Debian's fetched into this checkout.
 * @param options.mayFetch whether to ask Debian's archive for what is not there
 * @throws Error that says why there is none
 */
export const findBlackbox = (options: { mayFetch: boolean }): Promise<string> =>
  findDebianBinary(blackbox, options)
