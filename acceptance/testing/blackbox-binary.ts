import { findDebianBinary } from '@probe-mesh/infra/testing/debian-binary'

/** Version 0.26 needs less CPU than the 0.23 of the previous release, so it is the harder peer. */
const blackbox = {
  package: 'prometheus-blackbox-exporter',
  names: ['prometheus-blackbox-exporter', 'blackbox_exporter'],
  path: 'usr/bin/prometheus-blackbox-exporter',
  suite: 'trixie',
}

/**
 * Returns the path of a blackbox_exporter: that of the machine, or Debian's, downloaded into this checkout.
 * @param options.mayFetch whether to download a missing program from Debian's archive
 * @throws Error with the reason if there is none
 */
export const findBlackbox = (options: { mayFetch: boolean }): Promise<string> =>
  findDebianBinary(blackbox, options)
