import { settingsRead, settingsSave } from './jobs.ts';
import { RankThresholds } from './ranks.ts';

export const readRankThresholds = settingsRead('rank-promotion', RankThresholds);
export const saveRankThresholds = settingsSave('rank-promotion', RankThresholds);
