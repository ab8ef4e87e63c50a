import type { Rule } from '../rule.ts';

/** An image whose URL can carry data. If the model repeats it, the reader's browser sends the data out. */
export const imageBeacon: Rule = {
  name: 'image-beacon',
  does: 'ask',
  inspect(text) {
    return { times: BEACONS.reduce((sum, beacon) => sum + (text.match(beacon)?.length ?? 0), 0), text };
  },
};

const BEACONS = [
  /!\[[^\]\n]{0,200}\]\(\s{0,3}<?https?:\/\/[^)\s]{1,500}[?{$<[]/gi,
  /!\[[^\]\n]{0,200}\]\(\s{0,3}<?https?:\/\/[^)\s]{0,300}\b(?:secret|token|password|data|key|history|conversation)\b/gi,
  /<img\b[^>]{0,300}\bsrc\s{0,3}=\s{0,3}["']?https?:\/\/[^>\s]{1,500}[?{$[]/gi,
  /^\[[^\]\n]{1,100}\]:\s{1,3}<?https?:\/\/\S{1,500}[?{$][^\n]{0,500}$/gim,
];
