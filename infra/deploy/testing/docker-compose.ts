/** Debian's stable release has version 2 of it; bookworm's is written in another language. */
export const dockerCompose = {
  package: 'docker-compose',
  names: ['docker-compose'],
  path: 'usr/libexec/docker/cli-plugins/docker-compose',
  suite: 'trixie',
}
