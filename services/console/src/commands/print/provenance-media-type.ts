const byEnding: Readonly<Record<string, string>> = {
  bam: 'application/octet-stream',
  csv: 'text/csv',
  fa: 'text/plain',
  fasta: 'text/plain',
  fastq: 'text/plain',
  gz: 'application/gzip',
  html: 'text/html',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  r: 'text/plain',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  tex: 'application/x-tex',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** The media type that was recorded with the content, else the one that its name suggests. */
export function encodingFormatOf(path: string, recorded: string | undefined): string {
  if (recorded !== undefined && recorded !== '') return recorded
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return byEnding[ending] ?? 'application/octet-stream'
}
