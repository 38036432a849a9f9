const AUDIO = /^audio\/(?:(mpeg|mp3)|(?:x-|vnd\.)?wave?)$/

/** The two audio formats of this maker, by their media types. */
export function audioFormat(mediaType: string): string | undefined {
  const found = AUDIO.exec(mediaType)
  return found ? (found[1] === undefined ? 'wav' : 'mp3') : undefined
}
