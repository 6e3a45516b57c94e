BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE attempt_voids (
	attempt_id INTEGER NOT NULL, 
	cause TEXT NOT NULL, 
	games INTEGER NOT NULL, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_attempt_voids PRIMARY KEY (attempt_id, cause), 
	CONSTRAINT fk_attempt_voids_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "attempt_voids" VALUES(1,'INFRASTRUCTURE',2,'too slow');
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	match_id INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	worker TEXT NOT NULL, 
	host TEXT NOT NULL, 
	started_at DOUBLE NOT NULL, 
	progress_at DOUBLE, 
	games INTEGER NOT NULL, 
	ended_at DOUBLE, 
	outcome TEXT, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT fk_attempts_match_id_matches FOREIGN KEY(match_id) REFERENCES matches (id), 
	CONSTRAINT uq_attempts_token UNIQUE (token)
);
INSERT INTO "attempts" VALUES(1,9,'ee687dbb5f2585e418eb80701c924034','host-1-aa','host',1790000006.0,NULL,0,1790000008.0,'infrastructure','it broke');
INSERT INTO "attempts" VALUES(2,9,'3a3d495e659163f7b166154bd90cbb66','host-2-bb','host',1790000009.0,NULL,0,NULL,NULL,'');
CREATE TABLE bot_logs (
	id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	bot TEXT NOT NULL, 
	seat INTEGER NOT NULL, 
	seating TEXT NOT NULL, 
	exit_code INTEGER, 
	tail TEXT NOT NULL, 
	logged_at DOUBLE NOT NULL, 
	CONSTRAINT pk_bot_logs PRIMARY KEY (id), 
	CONSTRAINT fk_bot_logs_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "bot_logs" VALUES(1,1,'b',1,'[0,1,0,1]',1,'no model file
',1790000007.0);
CREATE TABLE bot_tokens (
	sha256 TEXT NOT NULL, 
	bot_version_id INTEGER NOT NULL, 
	role INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	revoked_at DOUBLE, 
	CONSTRAINT pk_bot_tokens PRIMARY KEY (sha256), 
	CONSTRAINT ck_bot_tokens_role CHECK (role IN (0, 1)), 
	CONSTRAINT fk_bot_tokens_bot_version_id_bot_versions FOREIGN KEY(bot_version_id) REFERENCES bot_versions (id)
);
INSERT INTO "bot_tokens" VALUES('c3e8f833e987027370378c4279bc7562a5cd984fd5e8aaa6c9cc739324ef1f83',5,0,1790000000.0,NULL);
INSERT INTO "bot_tokens" VALUES('340df744a1a5e01e7883cce99bf1b1a8bcb68849439dd66740b00f2a0af55bdd',5,1,1790000000.0,NULL);
CREATE TABLE bot_versions (
	id INTEGER NOT NULL, 
	bot_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	run TEXT, 
	cwd TEXT, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_bot_versions PRIMARY KEY (id), 
	CONSTRAINT fk_bot_versions_bot_id_bots FOREIGN KEY(bot_id) REFERENCES bots (id), 
	CONSTRAINT uq_bot_versions_bot_id_version UNIQUE (bot_id, version)
);
INSERT INTO "bot_versions" VALUES(1,1,1,'play a','/srv/bots',1790000000.0);
INSERT INTO "bot_versions" VALUES(2,2,1,'play b','/srv/bots',1790000000.0);
INSERT INTO "bot_versions" VALUES(3,3,1,'play c','/srv/bots',1790000000.0);
INSERT INTO "bot_versions" VALUES(4,1,2,'play a better','/srv/bots',1790000001.0);
INSERT INTO "bot_versions" VALUES(5,4,1,NULL,NULL,1790000000.0);
INSERT INTO "bot_versions" VALUES(6,5,1,'play gone',NULL,1790000000.0);
CREATE TABLE bots (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	removed_at DOUBLE, 
	CONSTRAINT pk_bots PRIMARY KEY (id), 
	CONSTRAINT uq_bots_name UNIQUE (name)
);
INSERT INTO "bots" VALUES(1,'a',NULL);
INSERT INTO "bots" VALUES(2,'b',NULL);
INSERT INTO "bots" VALUES(3,'c',NULL);
INSERT INTO "bots" VALUES(4,'far',NULL);
INSERT INTO "bots" VALUES(5,'gone',1790000002.0);
CREATE TABLE game_records (
	match_id INTEGER NOT NULL, 
	set_number INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	times TEXT, 
	CONSTRAINT pk_game_records PRIMARY KEY (match_id, set_number, seating), 
	CONSTRAINT fk_game_records_game FOREIGN KEY(match_id, set_number, seating) REFERENCES games (match_id, set_number, seating)
);
INSERT INTO "game_records" VALUES(1,0,0,'{"seating":[0,1,2],"deals":[{"moves":"pass 3 4 S QH TH JH QS 9S TS TC KC 9C KS 9H JC AS AD TD JS AC KD","faults":[],"tricks":[0,5,1],"points":[0,5,1],"total":[0,5,1]},{"moves":"pass pass 5 S JS TS AS JD QD KD KH TH 9H TD AD QH KS 9S JC 9D AH QC","faults":[],"tricks":[0,4,2],"points":[0,4,-5],"total":[0,9,-4]}],"total":[0,9,-4],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,0,'{"seating":[0,1,2],"deals":[{"moves":"3 swap 4 moon H QD KS TD TH 9H JH AD KH JD QS AS 9S AH TS KC 9D JC 9C","faults":[],"tricks":[1,4,1],"points":[1,4,-6],"total":[1,4,-6]},{"moves":"5 swap pass pass C QC AC KC TH 9H QH JC JS KS 9C JH AH TC TS KD TD QS AD","faults":[],"tricks":[1,4,1],"points":[1,-5,1],"total":[2,-1,-5]}],"total":[2,-1,-5],"places":[1,2,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,0,'{"seating":[0,1,2],"deals":[{"moves":"5 swap pass pass C KS TS 9S QH JS AH QS TD JD AC 9C 9H AD QD KD QC JH TH","faults":[],"tricks":[0,1,5],"points":[0,-5,5],"total":[0,-5,5]},{"moves":"pass moon C AC TC KC JH 9H AH KS TS 9S 9D QH AD 9C JD QC AS JS KD","faults":[],"tricks":[2,2,2],"points":[-6,2,2],"total":[-6,-3,7]}],"total":[-6,-3,7],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,0,1,'{"seating":[0,2,1],"deals":[{"moves":"pass 5 pass H KD QS AD AC 9C JC KS TS AS TC KC 9H TD JS TH 9S JH QH","faults":[],"tricks":[2,1,3],"points":[-5,1,3],"total":[-5,1,3]},{"moves":"4 pass swap moon D 9C QC JC 9H KH KC KD JH QD TC TS 9D AS QS 9S TD AC QH","faults":[],"tricks":[1,4,1],"points":[1,4,-6],"total":[-4,5,-3]}],"total":[-4,5,-3],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,1,'{"seating":[0,2,1],"deals":[{"moves":"3 pass pass D QS JS TS KC AC JC QH KH 9H QD JD KD KS QC 9S 9C TC TH","faults":[],"tricks":[3,2,1],"points":[3,2,1],"total":[3,2,1]},{"moves":"3 moon S JD AD TD KS JC AS QC QD KC 9H QH KH 9D KD 9C AH TC 9S","faults":[],"tricks":[3,1,2],"points":[3,1,-6],"total":[6,3,-5]}],"total":[6,3,-5],"places":[1,2,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,1,'{"seating":[0,2,1],"deals":[{"moves":"3 5 swap pass H JC QC JD 9H KH AD KC AC KS TS TH AS KD 9D QS QH TC JS","faults":[],"tricks":[1,4,1],"points":[1,4,-5],"total":[1,4,-5]},{"moves":"swap 5 pass pass S TD QC AD 9C JC AC QS AS 9S JH 9H TH QH TC KH QD TS JS","faults":[],"tricks":[2,2,2],"points":[2,2,-5],"total":[3,6,-10]}],"total":[3,6,-10],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,0,2,'{"seating":[1,0,2],"deals":[{"moves":"3 5 pass H JH QH TH 9H AS KC TD JC AD 9S TS QS JS KS 9C AC KD TC","faults":[],"tricks":[2,1,3],"points":[-5,1,3],"total":[-5,1,3]},{"moves":"5 pass moon H JD QH KH TH 9H KD AD QD 9D AH 9S TD JS TS AS JC KS QC","faults":[],"tricks":[1,1,4],"points":[1,1,-6],"total":[-4,2,-3]}],"total":[-4,2,-3],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,2,'{"seating":[1,0,2],"deals":[{"moves":"5 swap moon D TD QD JD 9C AD JC 9D TS 9H JH 9S QS AH TH KC AS KH KS","faults":[],"tricks":[1,5,0],"points":[1,-6,0],"total":[1,-6,0]},{"moves":"moon H TD QD AD KC 9C JD AS KS QH TC 9D KD QC KH 9H 9S AH JC","faults":[],"tricks":[2,2,2],"points":[2,-6,2],"total":[3,-12,2]}],"total":[3,-12,2],"places":[1,3,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,2,'{"seating":[1,0,2],"deals":[{"moves":"pass 5 moon D 9C 9H TC KH AH QH JH JD 9D TH JC 9S KS AS QD TD KD KC","faults":[],"tricks":[2,3,1],"points":[-6,3,1],"total":[-6,3,1]},{"moves":"3 moon S AC TC KC JH 9H AH JD QH AD 9S KS AS QC 9C 9D TS JS KD","faults":[],"tricks":[3,2,1],"points":[-6,2,1],"total":[-12,5,2]}],"total":[-12,5,2],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,0,3,'{"seating":[1,2,0],"deals":[{"moves":"moon C TH JH QH TC AC 9C 9S TS QS AS KS TD JC KC KD JS AD 9H","faults":[],"tricks":[0,5,1],"points":[0,5,-6],"total":[0,5,-6]},{"moves":"5 pass moon C AD QD 9D KS 9S AS KD JD TS JC JS QC TD AH 9H KH TH QH","faults":[],"tricks":[0,5,1],"points":[0,5,-6],"total":[0,10,-12]}],"total":[0,10,-12],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,3,'{"seating":[1,2,0],"deals":[{"moves":"3 moon C TC JC 9C TS KS QH KC AC 9S QC TH 9H JS QD QS KD KH JD","faults":[],"tricks":[1,4,1],"points":[1,-6,1],"total":[1,-6,1]},{"moves":"moon D 9C JD KC KH AH QH KD TD 9D KS JC AS 9S 9H TC QD AD QC","faults":[],"tricks":[3,0,3],"points":[3,-6,3],"total":[4,-12,4]}],"total":[4,-12,4],"places":[1,3,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,3,'{"seating":[1,2,0],"deals":[{"moves":"5 moon S 9D TD KD 9H KH JH AS 9S KS JC QD QH KC 9C JD TC AH TH","faults":[],"tricks":[0,1,5],"points":[0,1,-6],"total":[0,1,-6]},{"moves":"4 pass moon H JS KS TS KC QC 9C 9D JH AD AC TC KD QH 9H JD AH AS 9S","faults":[],"tricks":[2,0,4],"points":[2,-6,4],"total":[2,-5,-2]}],"total":[2,-5,-2],"places":[1,3,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,0,4,'{"seating":[2,0,1],"deals":[{"moves":"swap moon D JD KD JC QC 9C TC AH 9H QH KH TD AS JH QS QD TS JS 9D","faults":[],"tricks":[2,0,4],"points":[2,0,-6],"total":[2,0,-6]},{"moves":"5 swap moon S JH AH QH AD QD QS 9C KS QC TH 9H TC JS 9S AC JD TS KC","faults":[],"tricks":[1,1,4],"points":[1,-6,4],"total":[3,-6,-2]}],"total":[3,-6,-2],"places":[1,3,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,4,'{"seating":[2,0,1],"deals":[{"moves":"swap 4 moon C JS JC 9D TS AS QH AH AC TH KD QD AD JH QC KH TC 9S TD","faults":[],"tricks":[2,3,1],"points":[2,-6,1],"total":[2,-6,1]},{"moves":"3 swap 5 pass C AC KC TC QS KS QH AD TD JS JH 9H JC QC TH KD 9C TS AH","faults":[],"tricks":[1,3,2],"points":[1,3,-5],"total":[3,-3,-4]}],"total":[3,-3,-4],"places":[1,2,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,4,'{"seating":[2,0,1],"deals":[{"moves":"3 4 swap pass D JC AC 9H QS KS AS TC QC TH AD JD 9D QH KH JS KC TS KD","faults":[],"tricks":[2,2,2],"points":[2,2,-4],"total":[2,2,-4]},{"moves":"moon C AH QH 9H KS AS 9S TS TC 9D AD JD AC QC JS KC 9C KD JH","faults":[],"tricks":[2,3,1],"points":[2,3,-6],"total":[4,5,-10]}],"total":[4,5,-10],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,0,5,'{"seating":[2,1,0],"deals":[{"moves":"3 4 swap pass C 9C QC AC TH JH AH QD AD TD 9S TS 9D KD JD KS 9H KH KC","faults":[],"tricks":[2,1,3],"points":[-4,1,3],"total":[-4,1,3]},{"moves":"4 swap 5 moon S JS TS QS AH 9H JH AD QD TC TH QH 9C QC AC KS JD 9S KC","faults":[],"tricks":[2,0,4],"points":[2,0,-6],"total":[-2,1,-3]}],"total":[-2,1,-3],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,1,5,'{"seating":[2,1,0],"deals":[{"moves":"swap 5 pass moon C QD TD KD AC JC AH TS AS QH JH TC KH JS 9S AD QC TH 9D","faults":[],"tricks":[1,4,1],"points":[1,4,-6],"total":[1,4,-6]},{"moves":"pass 4 moon H KC TC KH JD 9H QH AS KS 9C QD KD TD AH JC 9D AD QC 9S","faults":[],"tricks":[3,0,3],"points":[-6,0,3],"total":[-5,4,-3]}],"total":[-5,4,-3],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(1,2,5,'{"seating":[2,1,0],"deals":[{"moves":"5 swap pass moon C 9C KS QC QS 9S KD TS JH JD JS TD QH AC QD TH AD AH 9H","faults":[],"tricks":[0,0,6],"points":[-6,0,6],"total":[-6,0,6]},{"moves":"3 5 swap moon C QS KS TS JD QC QD QH TH AH KD JH TD KC AC JC KH 9D AS","faults":[],"tricks":[1,2,3],"points":[1,-6,3],"total":[-5,-6,9]}],"total":[-5,-6,9],"places":[2,3,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order KH alone KS 9S AH AS 9C TD JH TH QD QH TC JC JS KC KD","faults":[],"tricks":[3,2,0,0],"points":[1,0],"total":[1,0]},{"moves":"order KD together 9H QH KH KC QS 9S AS KS JC TC QC JS AC TD TS JH JD QD AD AH","faults":[],"tricks":[2,0,3,0],"points":[2,0],"total":[3,0]}],"total":[3,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order KH together JC KC 9S 9C TC QC QD AC JS AD JH JD TH 9H QS AS AH 9D KS KD","faults":[],"tricks":[0,4,1,0],"points":[0,2],"total":[0,2]},{"moves":"pass order TS alone AD KD JH JD TC 9C KS 9H AH QH KH TH AC KC JC","faults":[],"tricks":[0,3,0,2],"points":[0,2],"total":[0,4]}],"total":[0,4],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order 9H together JC TC 9C AH AS QS KS AC 9S KC KD QD TS AD KH TD JH QH JS JD","faults":[],"tricks":[2,0,3,0],"points":[2,0],"total":[2,0]},{"moves":"pass pass pass pass S alone JC JS AS JD 9D TD AH AC 9C QH TC KS TS 9H KC","faults":[],"tricks":[2,3,0,0],"points":[0,2],"total":[2,2]}],"total":[2,2],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass pass order TH alone KC QC TC 9S QS KD AD TD QH TS KH JH 9H AH 9C","faults":[],"tricks":[0,2,3,0],"points":[1,0],"total":[1,0]},{"moves":"order AD together JH QH KH KD QD QS 9H JD TC KC JS JC AC TD QC 9S AS KS TS AH","faults":[],"tricks":[0,0,3,2],"points":[2,0],"total":[3,0]}],"total":[3,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass order KH together TC QC AS JS AC JC KC KD 9H JH QD TH QS 9S AH 9D KS JD 9C AD","faults":[],"tricks":[0,2,1,2],"points":[0,1],"total":[0,1]},{"moves":"order 9S alone 9H TH 9D JS AC KD 9C QD TC AS KH AH TS AD KC","faults":[],"tricks":[1,0,3,1],"points":[2,0],"total":[2,1]}],"total":[2,1],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(2,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass order 9S alone AD KD QD JC TC 9C KC KS AC QH JD KH QS JH TD","faults":[],"tricks":[1,1,0,3],"points":[0,2],"total":[0,2]},{"moves":"pass pass pass pass S together TD JD AD 9D QC AC 9C 9H KC JC AH QS KS JS TH AS QH KD TC TS","faults":[],"tricks":[2,1,1,1],"points":[1,0],"total":[1,2]}],"total":[1,2],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"4 pass moon D QH AC 9H AH JH AS KS 9S TS KD QD TH TD JD TC JC KC JS","faults":[],"tricks":[1,2,3,0],"points":[4,-6],"total":[4,-6]},{"moves":"4 moon H QH JH TH JC TC QC 9H KH TS TD 9D JD QS 9S JS KS AS AD","faults":[],"tricks":[0,3,3,0],"points":[3,-6],"total":[7,-12]},{"moves":"3 4 moon H KD AD 9C 9S JS QS TC QC KC KH 9H JH KS TS 9D JC TH JD","faults":[],"tricks":[3,0,1,2],"points":[4,-6],"total":[11,-18]}],"total":[11,-18],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"ask moon H 9D QS KD QC JC KC TH JD 9H TD JS KS QD 9S 9C TC AS KH","faults":[],"tricks":[4,0,2,0],"points":[6,-6],"total":[6,-6]},{"moves":"pass 4 moon C KD JD AD JC QD KC 9S TS AS TD QS AH 9D JS QH 9C 9H AC","faults":[],"tricks":[3,0,3,0],"points":[6,-6],"total":[12,-12]},{"moves":"ask moon S 9C QD TC QC 9H AS 9S KS JC TD KD TH JH KH AD JS TS JD","faults":[],"tricks":[2,0,3,1],"points":[5,-6],"total":[17,-18]}],"total":[17,-18],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"ask moon H QH AH JD TH 9D 9H 9S QS AS JH TD TS TC JC KC AD QD KD","faults":[],"tricks":[0,2,2,2],"points":[-6,4],"total":[-6,4]},{"moves":"4 pass ask pass D TC KD KD QD AD TD 9D KC KS JH 9S JD JS TS 9H AS AH QC AC 9C","faults":[],"tricks":[3,0,0,3],"points":[-6,3],"total":[-12,7]},{"moves":"moon H 9S KS AS JC KC AC QS JD AD KD KH 9D 9H JS TH QD JH TD","faults":[],"tricks":[1,0,3,2],"points":[4,-6],"total":[-8,1]}],"total":[-8,1],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"5 moon H AS TS QS 9H TH KH 9C JC TC 9S QH 9D AH QC JD QD KC AD","faults":[],"tricks":[3,1,0,2],"points":[-6,3],"total":[-6,3]},{"moves":"moon H 9D QS QD AH TH QH KD AD QC TC KS KC 9C JS JD 9H AC TS","faults":[],"tricks":[1,2,0,3],"points":[-6,5],"total":[-12,8]},{"moves":"4 pass 5 moon S QC AC TC TD KD AD JH QH 9H AH QS 9S 9D KS QD JC AS JD","faults":[],"tricks":[3,2,0,1],"points":[-6,3],"total":[-18,11]}],"total":[-18,11],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"3 5 pass moon S JH TC TH AH QC KH AD QD QS 9C AC TD QH JD KS KC TS KD","faults":[],"tricks":[0,0,2,4],"points":[2,-6],"total":[2,-6]},{"moves":"3 moon S JS TS KS JC QH KH QS 9H JH 9C AH TC TH 9S QD AD KD QC","faults":[],"tricks":[0,1,5,0],"points":[-6,1],"total":[-4,-5]},{"moves":"pass 3 pass moon D AH TH QD JH 9D QC JD QH TC 9S QS JS AC KH AS KC KS KD","faults":[],"tricks":[4,2,0,0],"points":[4,-6],"total":[0,-11]}],"total":[0,-11],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(3,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass pass ask moon C AC JC TC KD QD QC KS 9S AS JH KH TH JS TD 9H 9C JD AH","faults":[],"tricks":[4,1,0,1],"points":[-6,2],"total":[-6,2]},{"moves":"ask pass pass moon S QD KD JD TH 9H JS 9C QH AC TC KC QS JC 9D 9S KH JH AS","faults":[],"tricks":[1,2,3,0],"points":[4,-6],"total":[-2,-4]},{"moves":"3 4 pass 5 C TH 9H 9D AH QC JC KC JS JD AD TD 9C TC QD JH AC QS TS AS 9S KD KH KS QH","faults":[],"tricks":[1,2,3,0],"points":[-5,2],"total":[-7,-2]}],"total":[-7,-2],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order TD together JD 9D QD AH 9C KS KC QH QS JC JS 9S AS TC TS TH AD KH 9H JH","faults":[],"tricks":[1,0,3,1],"points":[2,0],"total":[2,0]},{"moves":"order QS alone JD QH JH AD TD KD TS JS 9S AH QC KH TH KS 9C","faults":[],"tricks":[0,2,3,0],"points":[1,0],"total":[3,0]}],"total":[3,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order 9H alone JC QC JH AS TS 9S JD QD TD AD AH QS KH KC QH","faults":[],"tricks":[0,0,5,0],"points":[2,0],"total":[2,0]},{"moves":"pass order 9S alone QD KD JH 9D TD AH AC JC KS TC QC QS TS AS JS","faults":[],"tricks":[2,1,2,0],"points":[2,0],"total":[4,0]}],"total":[4,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order TD together AD KD QD JD AS KS 9S TS TC JC JS QC 9C TH JH KC 9D QH AH 9H","faults":[],"tricks":[1,0,0,4],"points":[0,1],"total":[0,1]},{"moves":"pass pass pass pass D alone AC JC 9D JH 9C TD KD AS QS AH 9H QH KS QC KH","faults":[],"tricks":[0,0,0,5],"points":[0,2],"total":[0,3]}],"total":[0,3],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"order AH alone JC JS TS 9D TD JD JH QH 9H AS KS TH AD QS KC","faults":[],"tricks":[1,1,3,0],"points":[2,0],"total":[2,0]},{"moves":"order JH alone TH QH KH QS JS KS 9S TS TD 9C AH QC JD KD AD","faults":[],"tricks":[0,2,2,1],"points":[0,2],"total":[2,2]}],"total":[2,2],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"order AS alone TS QS KH TD JD QD AD KC QH 9H AH 9S JC QC JH","faults":[],"tricks":[1,0,3,1],"points":[2,0],"total":[2,0]},{"moves":"pass pass pass order KC alone AC 9D 9C KS 9S JS JH AD QD QS JD TC QH TD AS","faults":[],"tricks":[1,0,3,1],"points":[2,0],"total":[4,0]}],"total":[4,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(4,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass order 9H together 9D KD QD TD 9C JS QC KC AH JH AS QH 9S TS TC KS AD JC TH JD","faults":[],"tricks":[2,2,0,1],"points":[0,2],"total":[0,2]},{"moves":"pass order JH together QC JC KC KS KH TH AH 9H TS AS QS 9S AC TD JD 9D 9C QH QD KD","faults":[],"tricks":[3,1,0,1],"points":[2,0],"total":[2,2]}],"total":[2,2],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass pass ask pass D JS JH KH TD AH TC KC QC 9C JH AC AS KD QS JC 9S AD 9H JD KS","faults":[],"tricks":[3,0,1,2],"points":[4,-6],"total":[4,-6]},{"moves":"5 pass moon H AC 9C JC TC QC KH TH JD 9H TS KS 9S AD KD 9D QD QH KC","faults":[],"tricks":[2,2,0,2],"points":[-6,4],"total":[-2,-2]},{"moves":"ask moon C TS KS QS JS 9C QC JD KD QD 9H JH KH TH TC QH 9S AS 9D","faults":[],"tricks":[1,3,0,2],"points":[-6,5],"total":[-8,3]}],"total":[-8,3],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass 4 pass ask D TH JH QC TC KC QD TD AD AS KS JH AC KH QH AH 9H QS JD KD TS","faults":[],"tricks":[4,1,0,1],"points":[-6,2],"total":[-6,2]},{"moves":"5 pass moon S TD AD QS KS TS KD JC QD 9C AS 9D JH QH 9H TH TC KH QC","faults":[],"tricks":[0,1,0,5],"points":[-6,6],"total":[-12,8]},{"moves":"3 ask pass pass D 9C AD AS TS KD TC AC JC AD TD AH QS 9S QC JH JD KH TH KC KS","faults":[],"tricks":[3,2,0,1],"points":[-6,3],"total":[-18,11]}],"total":[-18,11],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"ask moon H 9H QD AH AC TC QC TS TH AS QH KC QS JD KS 9C 9D 9S KD","faults":[],"tricks":[3,0,0,3],"points":[-6,3],"total":[-6,3]},{"moves":"pass pass 5 ask C KS AH TC QC 9C 9H JH AH AC JC JS KC 9D QH AD TS QD JD QS KD","faults":[],"tricks":[4,0,0,2],"points":[4,-6],"total":[-2,-3]},{"moves":"3 ask pass moon H KH TH 9H 9C QC KC AH QH JS TD JC 9D AS KS QS KD TC 9S","faults":[],"tricks":[1,0,0,5],"points":[-6,5],"total":[-8,2]}],"total":[-8,2],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass 4 moon C JS AC KC AS JC QS KD KS AD 9H TC AH TD 9C KH 9S QC JD","faults":[],"tricks":[2,0,1,3],"points":[3,-6],"total":[3,-6]},{"moves":"moon C JS JC QC KH 9H AH TD KD AD KS QS 9S QD AS QH 9C JH TH","faults":[],"tricks":[0,4,1,1],"points":[-6,5],"total":[-3,-1]},{"moves":"4 ask moon S JD TD QD QH KH AH KC QC TH AD AS 9D TS KS JC AC JH JS","faults":[],"tricks":[2,1,3,0],"points":[5,-6],"total":[2,-7]}],"total":[2,-7],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass 5 pass ask H TD JH AH KH QH JH 9H KS AC TC KC QC AS QD JD AD TS TH KD QS","faults":[],"tricks":[6,0,0,0],"points":[12,0],"total":[12,0]},{"moves":"ask pass pass pass S 9S TS TS AS AD JC 9C JS JD KS KD QS QC AH TC TH KC AC QH JH","faults":[],"tricks":[0,0,3,3],"points":[-6,3],"total":[6,3]},{"moves":"ask pass pass moon C QD KD TD KH TH 9H AH JC QH 9S AD QC KC JD JS 9D TC TS","faults":[],"tricks":[0,1,1,4],"points":[-6,5],"total":[0,8]}],"total":[0,8],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(5,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass ask pass pass C JD JC QH KS AH 9C TC KC QC AC JC 9D QD KD TS 9H 9S QS TH AS","faults":[],"tricks":[1,2,0,3],"points":[-6,5],"total":[-6,5]},{"moves":"moon C JD TD KD TC KC AS JC AH AC AD 9S QD 9H TH QH KS QC KH","faults":[],"tricks":[4,0,0,2],"points":[-6,2],"total":[-12,7]},{"moves":"pass pass pass 3 D KS QS TS AS 9H QH TH AD JD KD 9C 9D JH TD TC 9S AC KC JC QC QD AH KH JS","faults":[],"tricks":[0,0,5,1],"points":[5,1],"total":[-7,8]}],"total":[-7,8],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass order AS alone AD KD QD QH TH JH KC TC 9C TS QS KS 9S TD KH","faults":[],"tricks":[2,0,3,0],"points":[2,0],"total":[2,0]},{"moves":"order 9D together QH KH TD JH QS AS JS TS JD 9C 9S KS TC AC AH QC TH 9H JC KC","faults":[],"tricks":[2,1,2,0],"points":[2,0],"total":[4,0]}],"total":[4,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass pass pass order KH together TD QD QC KD TC JH 9C QH JS AS 9S AC TH TS AH AD 9D KS KC QS","faults":[],"tricks":[1,1,0,3],"points":[0,1],"total":[0,1]},{"moves":"pass order TS together QC JC 9C TC AH TH QS QH JD AS AC JH KH 9H TD AD JS 9S QD 9D","faults":[],"tricks":[3,2,0,0],"points":[1,0],"total":[1,1]}],"total":[1,1],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order JH alone QS QH TS JS 9C JC KD KC TD KS AD KH AC JD QC","faults":[],"tricks":[0,1,4,0],"points":[1,0],"total":[1,0]},{"moves":"order AD together 9C QC TC KC JD KH QH TH JS TS AS QS KD 9D 9H KS JH AC QD 9S","faults":[],"tricks":[1,0,4,0],"points":[2,0],"total":[3,0]}],"total":[3,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass order 9D together TD KD QD JS AS TS QS KS JC KC TC 9C AC QH KH 9S QC AD TH JH","faults":[],"tricks":[0,5,0,0],"points":[0,2],"total":[0,2]},{"moves":"order JH together 9H KH TD TH QC KC AC 9C 9D QH JC KS 9S AS JS TS JD AH QS TC","faults":[],"tricks":[3,0,2,0],"points":[2,0],"total":[2,2]}],"total":[2,2],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"order TC together AD QD QH 9D QC AC TD 9C AH JH TH 9S JS AS QS KH KD KS KC TS","faults":[],"tricks":[1,0,1,3],"points":[0,2],"total":[0,2]},{"moves":"pass order KH together JD TH AC QH 9H QD 9C JH JS 9S AS QS TD 9D TC QC JC AD TS AH","faults":[],"tricks":[1,2,2,0],"points":[1,0],"total":[1,2]}],"total":[1,2],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(6,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"pass order KD alone KS QH AS TH AC TD JS 9C 9H KC AD AH QS JD 9D","faults":[],"tricks":[1,0,4,0],"points":[2,0],"total":[2,0]},{"moves":"pass order JD alone TS AS QS KD 9D 9C QD TC KH KS QH 9S QC TH AC","faults":[],"tricks":[3,1,0,1],"points":[1,0],"total":[3,0]}],"total":[3,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"5 moon S AH 9H TH QH JH 9D KH JD QS KS AS QC AD TD 9S TS AC KC","faults":[],"tricks":[0,0,3,3],"points":[3,-6],"total":[3,-6]},{"moves":"3 pass pass 4 S QD 9D JC TD JS TS 9S QS KH QH JH 9H TH QC KD AH KC 9C AC TC AD JD KS AS","faults":[],"tricks":[4,1,0,1],"points":[4,2],"total":[7,-4]},{"moves":"5 moon S AC QC KC KD TD 9D 9H QH AH JD AD 9S AS QS QD JC TS TH","faults":[],"tricks":[1,2,3,0],"points":[4,-6],"total":[11,-10]}],"total":[11,-10],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"5 moon D TD 9D JH 9H QH TH JC TS AH JS KS QS QD JD AD AS QC KD","faults":[],"tricks":[2,0,2,2],"points":[4,-6],"total":[4,-6]},{"moves":"moon S QD JD 9D AC KC QC AH JH 9C KS 9S TS KD TH AD TD QS KH","faults":[],"tricks":[0,0,1,5],"points":[1,-6],"total":[5,-12]},{"moves":"moon D QD 9D JD 9S AS AH KC 9C QC KD TD AC JC AD 9H QH KS QS","faults":[],"tricks":[3,2,0,1],"points":[-6,3],"total":[-1,-9]}],"total":[-1,-9],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"moon C TC AC KC 9D TD QD QS 9S KS TH QH AH 9H JH TS JS KD QC","faults":[],"tricks":[3,1,2,0],"points":[5,-6],"total":[5,-6]},{"moves":"pass moon D AD KD QD 9S QS TS QC 9C JC KC JH KS JS TH AS JD TD 9D","faults":[],"tricks":[4,0,1,1],"points":[5,-6],"total":[10,-12]},{"moves":"3 moon H KC 9S QC AH JH 9C KS QS AS KD 9D AD QD KH JD JS AC TH","faults":[],"tricks":[3,2,0,1],"points":[-6,3],"total":[4,-9]}],"total":[4,-9],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,0,1,'{"seating":[1,0,1,0],"deals":[{"moves":"ask moon H AS KC KS KH JD TH QC 9S AC AH 9H TS QH JH 9D TD QS AD","faults":[],"tricks":[2,0,0,4],"points":[2,-6],"total":[2,-6]},{"moves":"ask pass pass moon H TC KC QC KS TS 9S AH QH JH QD 9D TD JD 9H AC KD QS AD","faults":[],"tricks":[0,1,3,2],"points":[-6,3],"total":[-4,-3]},{"moves":"5 pass pass ask H JS TH JH JD QH KH AH QC 9D TD TC 9S KS TS 9C KC JC QS AS TH","faults":[],"tricks":[2,0,1,3],"points":[3,-6],"total":[-1,-9]}],"total":[-1,-9],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,1,1,'{"seating":[1,0,1,0],"deals":[{"moves":"moon D JD AD 9S AS JS 9C 9H QH KH AC AH QC KC QS JC TC JH TD","faults":[],"tricks":[0,3,3,0],"points":[-6,3],"total":[-6,3]},{"moves":"5 ask pass pass S TH TS JH 9H AH AC KC TC QS 9S JS AS KS TS QH KD KH JD JC QD","faults":[],"tricks":[1,3,0,2],"points":[-6,5],"total":[-12,8]},{"moves":"ask pass moon H TC QC 9C AC QH JH TH JD AH 9H TD KH JS 9S AD TS KS 9D","faults":[],"tricks":[0,0,3,3],"points":[-6,3],"total":[-18,11]}],"total":[-18,11],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(7,2,1,'{"seating":[1,0,1,0],"deals":[{"moves":"4 pass 5 moon C JH QH KH JC JS TC AS KS TS 9C KC KD TH QD JD TD QS AD","faults":[],"tricks":[2,0,0,4],"points":[-6,4],"total":[-6,4]},{"moves":"4 moon C 9D JD QD TD AD KD 9S QS TS QC JS JC KS AS 9C JH TH KC","faults":[],"tricks":[2,0,2,2],"points":[4,-6],"total":[-2,-2]},{"moves":"3 pass 4 5 D TD QD KD JH 9D JC AD AS QS TH JS TS 9C KC JD TC KS QH QC AH 9S 9H AC KH","faults":[],"tricks":[0,4,0,2],"points":[-5,6],"total":[-7,4]}],"total":[-7,4],"places":[2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,0,0,'{"seating":[0,1,2],"deals":[{"moves":"4 moon S 9C QC AC QS TS KS QH AD TH TD 9D JD AH 9H KC KD KH JC","faults":[],"tricks":[2,2,2],"points":[-6,2,2],"total":[-6,2,2]},{"moves":"swap 3 pass pass H TD KC KD QC QD JC TS KS JS AS QH 9S 9C TC 9H JH TH KH","faults":[],"tricks":[3,1,2],"points":[3,1,2],"total":[-3,3,4]}],"total":[-3,3,4],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,6,0,'{"seating":[0,1,2],"deals":[{"moves":"5 swap pass moon D AD 9D TD 9C AC QC 9H AH KH TS JD KS JH QD AS KC JC QS","faults":[],"tricks":[4,1,1],"points":[-6,1,1],"total":[-6,1,1]},{"moves":"swap pass 3 5 S TS AS JS JH AD 9H TH KS AH QS 9S JC KH QD 9C JD QC KD","faults":[],"tricks":[4,1,1],"points":[4,-5,1],"total":[-2,-4,2]}],"total":[-2,-4,2],"places":[2,3,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,12,0,'{"seating":[0,1,2],"deals":[{"moves":"pass pass moon H KH JH TH KD QH TD QS AS 9S AH 9C JD TC 9H JC AD JS KS","faults":[],"tricks":[3,1,2],"points":[-6,1,2],"total":[-6,1,2]},{"moves":"moon H AS TS KS 9S TD JS AD KD AH QH AC 9H JH QC TH JC 9D 9C","faults":[],"tricks":[4,1,1],"points":[4,1,-6],"total":[-2,2,-4]}],"total":[-2,2,-4],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,1,1,'{"seating":[0,2,1],"deals":[{"moves":"3 pass 4 C AS 9S QS JD 9D TD QH AH TC AD KD KS QC TH JS 9H 9C TS","faults":[],"tricks":[3,2,1],"points":[3,-4,1],"total":[3,-4,1]},{"moves":"swap 4 5 pass C QC AC KC JD KH QD AH 9H TH JH QH AS KD JS TS 9C JC QS","faults":[],"tricks":[1,3,2],"points":[1,-5,2],"total":[4,-9,3]}],"total":[4,-9,3],"places":[1,3,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,7,1,'{"seating":[0,2,1],"deals":[{"moves":"3 swap moon C 9C JC KC AD TS TD 9D TH QC TC KD QH JS QS AS AC 9S KS","faults":[],"tricks":[0,4,2],"points":[0,-6,2],"total":[0,-6,2]},{"moves":"3 swap moon D TS AS QS KC QC AC JS KH JD TD AD 9C 9H AH TH TC QH KS","faults":[],"tricks":[3,1,2],"points":[3,1,-6],"total":[3,-5,-4]}],"total":[3,-5,-4],"places":[1,3,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,13,1,'{"seating":[0,2,1],"deals":[{"moves":"3 pass pass H JH QH AD AS KS TS 9D KD QD 9S QS JD 9H TH JC TD QC AH","faults":[],"tricks":[0,4,2],"points":[0,4,2],"total":[0,4,2]},{"moves":"moon D AH TS 9H QH JD KS JC QC KC TH JS AC KH 9S AD JH QD KD","faults":[],"tricks":[1,2,3],"points":[1,2,-6],"total":[1,6,-4]}],"total":[1,6,-4],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,2,2,'{"seating":[1,0,2],"deals":[{"moves":"5 moon C AH TH JH 9H TD KH TC JD AC 9D JC KD JS AS 9C QC QH AD","faults":[],"tricks":[1,1,4],"points":[-6,1,4],"total":[-6,1,4]},{"moves":"moon S KC 9C TC QS AS JS KD AH AD KH JH QH JD 9D AC TH 9S 9H","faults":[],"tricks":[1,3,2],"points":[-6,3,2],"total":[-12,4,6]}],"total":[-12,4,6],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,8,2,'{"seating":[1,0,2],"deals":[{"moves":"swap moon D TC QC AC 9S AS JS KC JC 9C JH KD QD 9D KH AD QS TD QH","faults":[],"tricks":[0,2,4],"points":[0,2,-6],"total":[0,2,-6]},{"moves":"3 4 swap pass S QC 9C TS KH JH QH KD AD QD AS KS JD JC 9S 9D TC TD 9H","faults":[],"tricks":[2,4,0],"points":[2,4,0],"total":[2,6,-6]}],"total":[2,6,-6],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,14,2,'{"seating":[1,0,2],"deals":[{"moves":"moon H TH AH 9H QD KD 9D QH AC JD TD KH QC TC KC 9S QS AD KS","faults":[],"tricks":[1,2,3],"points":[-6,2,3],"total":[-6,2,3]},{"moves":"4 5 pass C KH AH 9H TC JS QC QH 9S TH JC QS AC 9C KS QD KD AS TS","faults":[],"tricks":[1,5,0],"points":[1,5,-5],"total":[-5,7,-2]}],"total":[-5,7,-2],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,3,3,'{"seating":[1,2,0],"deals":[{"moves":"moon C TD QD KD JS 9C JC 9S TS JH QC JD QH KS TH AS AH 9H KH","faults":[],"tricks":[0,3,3],"points":[-6,3,3],"total":[-6,3,3]},{"moves":"4 pass moon C AC QC KC TH 9H AH JC 9C JS KD TD JD 9D QH QS KH JH 9S","faults":[],"tricks":[1,0,5],"points":[-6,0,5],"total":[-12,3,8]}],"total":[-12,3,8],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,9,3,'{"seating":[1,2,0],"deals":[{"moves":"4 swap moon D JS 9H 9S KS TC AS QH QC AH JH TD JD QS KD TS JC AD QD","faults":[],"tricks":[2,2,2],"points":[-6,2,2],"total":[-6,2,2]},{"moves":"3 swap moon H KH QH JH TS KS QS JD 9C KC 9S AC TC 9H QC QD TH TD KD","faults":[],"tricks":[1,5,0],"points":[1,-6,0],"total":[-5,-4,2]}],"total":[-5,-4,2],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,15,3,'{"seating":[1,2,0],"deals":[{"moves":"5 pass swap moon H QS AS JS KD QD AD AH 9H TH TS 9D KS QC KH 9C 9S TC TD","faults":[],"tricks":[1,1,4],"points":[1,1,-6],"total":[1,1,-6]},{"moves":"4 pass moon C JS QC 9C AD JC JD KH JH 9H TC TH AH 9S TS KD 9D TD QH","faults":[],"tricks":[2,3,1],"points":[-6,3,1],"total":[-5,4,-5]}],"total":[-5,4,-5],"places":[2,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,4,4,'{"seating":[2,0,1],"deals":[{"moves":"swap pass pass pass","faults":[],"tricks":[0,0,0],"points":[0,0,0],"total":[0,0,0]},{"moves":"5 swap moon C JH KH 9H QC KC JC AS KS QS JD QD 9D 9C TC JS AH KD TH","faults":[],"tricks":[0,4,2],"points":[0,-6,2],"total":[0,-6,2]}],"total":[0,-6,2],"places":[2,3,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,10,4,'{"seating":[2,0,1],"deals":[{"moves":"3 moon D AH TH 9H QS TC AS KD JH AD TS KH KS 9D QH 9C QD QC KC","faults":[],"tricks":[0,4,2],"points":[0,4,-6],"total":[0,4,-6]},{"moves":"3 5 pass H KD AS QD AD 9S QS AH QH JH JD TD 9H KC AC QC KS TC 9C","faults":[],"tricks":[4,0,2],"points":[-5,0,2],"total":[-5,4,-4]}],"total":[-5,4,-4],"places":[3,1,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,16,4,'{"seating":[2,0,1],"deals":[{"moves":"4 pass swap moon S 9S KS JS JD JC KD QS TS QD 9C KC TH 9H KH AH AS 9D TD","faults":[],"tricks":[4,1,1],"points":[-6,1,1],"total":[-6,1,1]},{"moves":"pass moon D 9D AD JD 9C AC TC 9S QS TS TH AH AS 9H QC KC QH TD KD","faults":[],"tricks":[1,2,3],"points":[-6,2,3],"total":[-12,3,4]}],"total":[-12,3,4],"places":[3,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,5,5,'{"seating":[2,1,0],"deals":[{"moves":"4 5 moon C TD QD 9D 9H QH 9S AD JD TH AC KC TC QS AS KS JC AH JS","faults":[],"tricks":[1,3,2],"points":[1,3,-6],"total":[1,3,-6]},{"moves":"3 moon D QC JC KH 9S KS KD QH QS 9H AD JD JH TD AS AH AC JS TH","faults":[],"tricks":[0,2,4],"points":[0,2,-6],"total":[1,5,-12]}],"total":[1,5,-12],"places":[2,1,3],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,11,5,'{"seating":[2,1,0],"deals":[{"moves":"4 pass 5 S 9C AC QC QS JS AS JH 9H TD AD TS QD TH KD AH 9D KH KS","faults":[],"tricks":[3,1,2],"points":[3,-5,2],"total":[3,-5,2]},{"moves":"pass pass 3 S 9C TD TC JS 9S TS QC QH JD KC AS TH JH KS AC 9D JC QD","faults":[],"tricks":[1,4,1],"points":[1,4,-3],"total":[4,-1,-1]}],"total":[4,-1,-1],"places":[1,2,2],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(8,17,5,'{"seating":[2,1,0],"deals":[{"moves":"pass swap 4 pass D 9C AC AS AH AD 9H 9S KS 9D KD JH TD TS JS TC KH QH QS","faults":[],"tricks":[2,2,2],"points":[-4,2,2],"total":[-4,2,2]},{"moves":"swap pass moon C QC JC 9C QS TS QD AC KC JH 9D TD JD KD KS AH 9H QH TH","faults":[],"tricks":[0,2,4],"points":[0,-6,4],"total":[-4,-4,6]}],"total":[-4,-4,6],"places":[2,2,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(9,0,0,'{"seating":[0,1,0,1],"deals":[{"moves":"order KH together QS AC JS 9S KC TC 9D TH TS QD KS AH KD TD QH AD AS JD QC JC","faults":[],"tricks":[2,1,0,2],"points":[0,1],"total":[0,1]},{"moves":"order TC alone TD QD 9D KC QC AC JH KH QH KD 9S JC AD JS AS","faults":[],"tricks":[0,0,4,1],"points":[1,0],"total":[1,1]}],"total":[1,1],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(9,1,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass pass order KH alone AS 9S TS KC JS 9C KD TD AD QD 9D JH TH QC 9H","faults":[],"tricks":[3,2,0,0],"points":[2,0],"total":[2,0]},{"moves":"order 9C together TD AD AS 9S KC TC JC KD 9H JD QH JH 9D TH QC AH AC JS QS TS","faults":[],"tricks":[1,2,0,2],"points":[0,2],"total":[2,2]}],"total":[2,2],"places":[1,1],"end":"deals","forfeits":[]}',NULL);
INSERT INTO "game_records" VALUES(9,2,0,'{"seating":[0,1,0,1],"deals":[{"moves":"pass order JS together JD KC TH 9H JH KD 9D KH QH QD JC KS AC QS 9S QC AD AS TD TS","faults":[],"tricks":[5,0,0,0],"points":[2,0],"total":[2,0]},{"moves":"order QD together AC JC QC KC QH KS TH AH AS QS JS 9S JH 9H TS 9D TC TD AD KD","faults":[],"tricks":[4,1,0,0],"points":[2,0],"total":[4,0]}],"total":[4,0],"places":[1,2],"end":"deals","forfeits":[]}',NULL);
CREATE TABLE games (
	match_id INTEGER NOT NULL, 
	set_number INTEGER NOT NULL, 
	seating INTEGER NOT NULL, 
	dealer INTEGER NOT NULL, 
	points TEXT NOT NULL, 
	places TEXT NOT NULL, 
	deals INTEGER NOT NULL, 
	end_reason TEXT NOT NULL, 
	forfeits TEXT NOT NULL, 
	faults TEXT NOT NULL, 
	stored_at DOUBLE NOT NULL, 
	CONSTRAINT pk_games PRIMARY KEY (match_id, set_number, seating), 
	CONSTRAINT fk_games_match_id_matches FOREIGN KEY(match_id) REFERENCES matches (id)
)
 WITHOUT ROWID

;
INSERT INTO "games" VALUES(1,0,0,1,'[0,9,-4]','[2,1,3]',2,'deals','[]','[{},{},{}]',1.79603743547171258929e+09);
INSERT INTO "games" VALUES(1,0,1,1,'[-4,-3,5]','[3,2,1]',2,'deals','[]','[{},{},{}]',1.79603743548719835274e+09);
INSERT INTO "games" VALUES(1,0,2,1,'[2,-4,-3]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743549027228352e+09);
INSERT INTO "games" VALUES(1,0,3,1,'[-12,0,10]','[3,2,1]',2,'deals','[]','[{},{},{}]',1.79603743549739885325e+09);
INSERT INTO "games" VALUES(1,0,4,1,'[-6,-2,3]','[3,2,1]',2,'deals','[]','[{},{},{}]',1.79603743550032019611e+09);
INSERT INTO "games" VALUES(1,0,5,1,'[-3,1,-2]','[3,1,2]',2,'deals','[]','[{},{},{}]',1.79603743551136136053e+09);
INSERT INTO "games" VALUES(1,1,0,2,'[2,-1,-5]','[1,2,3]',2,'deals','[]','[{},{},{}]',1.79603743547960400584e+09);
INSERT INTO "games" VALUES(1,1,1,2,'[6,-5,3]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.7960374354882445335e+09);
INSERT INTO "games" VALUES(1,1,2,2,'[-12,3,2]','[3,1,2]',2,'deals','[]','[{},{},{}]',1.79603743549564695363e+09);
INSERT INTO "games" VALUES(1,1,3,2,'[4,4,-12]','[1,1,3]',2,'deals','[]','[{},{},{}]',1.79603743549833750727e+09);
INSERT INTO "games" VALUES(1,1,4,2,'[-3,-4,3]','[2,3,1]',2,'deals','[]','[{},{},{}]',1.79603743550108194354e+09);
INSERT INTO "games" VALUES(1,1,5,2,'[-3,4,-5]','[2,1,3]',2,'deals','[]','[{},{},{}]',1.79603743551339387896e+09);
INSERT INTO "games" VALUES(1,2,0,0,'[-6,-3,7]','[3,2,1]',2,'deals','[]','[{},{},{}]',1.79603743548072266583e+09);
INSERT INTO "games" VALUES(1,2,1,0,'[3,-10,6]','[2,3,1]',2,'deals','[]','[{},{},{}]',1.79603743548942279811e+09);
INSERT INTO "games" VALUES(1,2,2,0,'[5,-12,2]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743549663329125e+09);
INSERT INTO "games" VALUES(1,2,3,0,'[-2,2,-5]','[2,1,3]',2,'deals','[]','[{},{},{}]',1.7960374354992976189e+09);
INSERT INTO "games" VALUES(1,2,4,0,'[5,-10,4]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743550211882593e+09);
INSERT INTO "games" VALUES(1,2,5,0,'[9,-6,-5]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743551448369027e+09);
INSERT INTO "games" VALUES(2,0,0,3,'[3,0]','[1,2]',2,'deals','[]','[{},{}]',1796037435.51773);
INSERT INTO "games" VALUES(2,0,1,3,'[0,3]','[2,1]',2,'deals','[]','[{},{}]',1.79603743552963829041e+09);
INSERT INTO "games" VALUES(2,1,0,1,'[0,4]','[2,1]',2,'deals','[]','[{},{}]',1.79603743552716636658e+09);
INSERT INTO "games" VALUES(2,1,1,1,'[1,2]','[2,1]',2,'deals','[]','[{},{}]',1.79603743553507828713e+09);
INSERT INTO "games" VALUES(2,2,0,2,'[2,2]','[1,1]',2,'deals','[]','[{},{}]',1.79603743552865672107e+09);
INSERT INTO "games" VALUES(2,2,1,2,'[2,1]','[1,2]',2,'deals','[]','[{},{}]',1.79603743553611445429e+09);
INSERT INTO "games" VALUES(3,0,0,2,'[11,-18]','[1,2]',3,'deals','[]','[{},{}]',1.79603743554451966289e+09);
INSERT INTO "games" VALUES(3,0,1,2,'[11,-18]','[1,2]',3,'deals','[]','[{},{}]',1.79603743554799818995e+09);
INSERT INTO "games" VALUES(3,1,0,3,'[17,-18]','[1,2]',3,'deals','[]','[{},{}]',1.79603743554576683041e+09);
INSERT INTO "games" VALUES(3,1,1,3,'[-11,0]','[2,1]',3,'deals','[]','[{},{}]',1.79603743554894113541e+09);
INSERT INTO "games" VALUES(3,2,0,0,'[-8,1]','[2,1]',3,'deals','[]','[{},{}]',1.79603743554690146446e+09);
INSERT INTO "games" VALUES(3,2,1,0,'[-2,-7]','[1,2]',3,'deals','[]','[{},{}]',1.79603743554991984363e+09);
INSERT INTO "games" VALUES(4,0,0,0,'[3,0]','[1,2]',2,'deals','[]','[{},{}]',1.79603743556122755998e+09);
INSERT INTO "games" VALUES(4,0,1,0,'[2,2]','[1,1]',2,'deals','[]','[{},{}]',1.79603743556460928917e+09);
INSERT INTO "games" VALUES(4,1,0,2,'[4,0]','[1,2]',2,'deals','[]','[{},{}]',1.79603743556221795082e+09);
INSERT INTO "games" VALUES(4,1,1,2,'[0,4]','[2,1]',2,'deals','[]','[{},{}]',1.79603743556561422345e+09);
INSERT INTO "games" VALUES(4,2,0,2,'[0,3]','[2,1]',2,'deals','[]','[{},{}]',1.79603743556311106679e+09);
INSERT INTO "games" VALUES(4,2,1,2,'[2,2]','[1,1]',2,'deals','[]','[{},{}]',1.79603743556646752352e+09);
INSERT INTO "games" VALUES(5,0,0,0,'[-8,3]','[2,1]',3,'deals','[]','[{},{}]',1.79603743557824373244e+09);
INSERT INTO "games" VALUES(5,0,1,0,'[-7,2]','[2,1]',3,'deals','[]','[{},{}]',1.79603743558104324336e+09);
INSERT INTO "games" VALUES(5,1,0,0,'[-18,11]','[2,1]',3,'deals','[]','[{},{}]',1.79603743557930874827e+09);
INSERT INTO "games" VALUES(5,1,1,0,'[8,0]','[1,2]',3,'deals','[]','[{},{}]',1.79603743558733439447e+09);
INSERT INTO "games" VALUES(5,2,0,2,'[-8,2]','[2,1]',3,'deals','[]','[{},{}]',1.79603743558021378516e+09);
INSERT INTO "games" VALUES(5,2,1,2,'[8,-7]','[1,2]',3,'deals','[]','[{},{}]',1.79603743558846902844e+09);
INSERT INTO "games" VALUES(6,0,0,1,'[4,0]','[1,2]',2,'deals','[]','[{},{}]',1.79603743559590029715e+09);
INSERT INTO "games" VALUES(6,0,1,1,'[2,2]','[1,1]',2,'deals','[]','[{},{}]',1.79603743559830951685e+09);
INSERT INTO "games" VALUES(6,1,0,3,'[1,1]','[1,1]',2,'deals','[]','[{},{}]',1.79603743559676051139e+09);
INSERT INTO "games" VALUES(6,1,1,3,'[2,1]','[1,2]',2,'deals','[]','[{},{}]',1.79603743559931278228e+09);
INSERT INTO "games" VALUES(6,2,0,1,'[3,0]','[1,2]',2,'deals','[]','[{},{}]',1.79603743559755825998e+09);
INSERT INTO "games" VALUES(6,2,1,1,'[0,3]','[2,1]',2,'deals','[]','[{},{}]',1.79603743560017156599e+09);
INSERT INTO "games" VALUES(7,0,0,1,'[11,-10]','[1,2]',3,'deals','[]','[{},{}]',1.79603743560765218741e+09);
INSERT INTO "games" VALUES(7,0,1,1,'[-9,-1]','[2,1]',3,'deals','[]','[{},{}]',1.79603743561468720438e+09);
INSERT INTO "games" VALUES(7,1,0,1,'[-1,-9]','[1,2]',3,'deals','[]','[{},{}]',1.79603743560865736009e+09);
INSERT INTO "games" VALUES(7,1,1,1,'[11,-18]','[1,2]',3,'deals','[]','[{},{}]',1.79603743561595177646e+09);
INSERT INTO "games" VALUES(7,2,0,0,'[4,-9]','[1,2]',3,'deals','[]','[{},{}]',1.79603743560951066016e+09);
INSERT INTO "games" VALUES(7,2,1,0,'[4,-7]','[1,2]',3,'deals','[]','[{},{}]',1.79603743561695218091e+09);
INSERT INTO "games" VALUES(8,0,0,1,'[-3,3,4]','[3,2,1]',2,'deals','[]','[{},{},{}]',1.79603743563904976843e+09);
INSERT INTO "games" VALUES(8,1,1,1,'[4,3,-9]','[1,2,3]',2,'deals','[]','[{},{},{}]',1.79603743564194512369e+09);
INSERT INTO "games" VALUES(8,2,2,1,'[4,-12,6]','[2,3,1]',2,'deals','[]','[{},{},{}]',1.7960374356515207291e+09);
INSERT INTO "games" VALUES(8,3,3,2,'[8,-12,3]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743565449619295e+09);
INSERT INTO "games" VALUES(8,4,4,1,'[-6,2,0]','[3,1,2]',2,'deals','[]','[{},{},{}]',1.79603743566144323342e+09);
INSERT INTO "games" VALUES(8,5,5,2,'[-12,5,1]','[3,1,2]',2,'deals','[]','[{},{},{}]',1.79603743566875648498e+09);
INSERT INTO "games" VALUES(8,6,0,0,'[-2,-4,2]','[2,3,1]',2,'deals','[]','[{},{},{}]',1.79603743564019846913e+09);
INSERT INTO "games" VALUES(8,7,1,2,'[3,-4,-5]','[1,2,3]',2,'deals','[]','[{},{},{}]',1.7960374356452586651e+09);
INSERT INTO "games" VALUES(8,8,2,1,'[6,2,-6]','[1,2,3]',2,'deals','[]','[{},{},{}]',1.79603743565251731872e+09);
INSERT INTO "games" VALUES(8,9,3,1,'[2,-5,-4]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.796037435659742117e+09);
INSERT INTO "games" VALUES(8,10,4,0,'[4,-4,-5]','[1,2,3]',2,'deals','[]','[{},{},{}]',1.79603743566227889061e+09);
INSERT INTO "games" VALUES(8,11,5,1,'[-1,-1,4]','[2,2,1]',2,'deals','[]','[{},{},{}]',1.79603743566963672644e+09);
INSERT INTO "games" VALUES(8,12,0,0,'[-2,2,-4]','[2,1,3]',2,'deals','[]','[{},{},{}]',1.79603743564106464389e+09);
INSERT INTO "games" VALUES(8,13,1,0,'[1,-4,6]','[2,3,1]',2,'deals','[]','[{},{},{}]',1.79603743564628529549e+09);
INSERT INTO "games" VALUES(8,14,2,2,'[7,-5,-2]','[1,3,2]',2,'deals','[]','[{},{},{}]',1.79603743565334558491e+09);
INSERT INTO "games" VALUES(8,15,3,2,'[-5,-5,4]','[2,2,1]',2,'deals','[]','[{},{},{}]',1.79603743566061902045e+09);
INSERT INTO "games" VALUES(8,16,4,0,'[3,4,-12]','[2,1,3]',2,'deals','[]','[{},{},{}]',1.79603743566779184342e+09);
INSERT INTO "games" VALUES(8,17,5,1,'[6,-4,-4]','[1,2,2]',2,'deals','[]','[{},{},{}]',1.79603743567080020903e+09);
INSERT INTO "games" VALUES(9,0,0,0,'[1,1]','[1,1]',2,'deals','[]','[{},{}]',1.79603743567386245731e+09);
INSERT INTO "games" VALUES(9,1,0,2,'[2,2]','[1,1]',2,'deals','[]','[{},{}]',1.7960374356824011803e+09);
INSERT INTO "games" VALUES(9,2,0,3,'[4,0]','[1,2]',2,'deals','[]','[{},{}]',1.79603743568349194523e+09);
CREATE TABLE league_bots (
	league_id INTEGER NOT NULL, 
	bot_version_id INTEGER NOT NULL, 
	CONSTRAINT pk_league_bots PRIMARY KEY (league_id, bot_version_id), 
	CONSTRAINT fk_league_bots_bot_version_id_bot_versions FOREIGN KEY(bot_version_id) REFERENCES bot_versions (id), 
	CONSTRAINT fk_league_bots_league_id_leagues FOREIGN KEY(league_id) REFERENCES leagues (id)
);
INSERT INTO "league_bots" VALUES(1,4);
INSERT INTO "league_bots" VALUES(1,2);
INSERT INTO "league_bots" VALUES(1,3);
INSERT INTO "league_bots" VALUES(2,4);
INSERT INTO "league_bots" VALUES(2,2);
INSERT INTO "league_bots" VALUES(2,5);
CREATE TABLE league_variants (
	id INTEGER NOT NULL, 
	league_id INTEGER NOT NULL, 
	label TEXT NOT NULL, 
	variant TEXT NOT NULL, 
	format TEXT NOT NULL, 
	options TEXT NOT NULL, 
	seats INTEGER NOT NULL, 
	seatings TEXT NOT NULL, 
	CONSTRAINT pk_league_variants PRIMARY KEY (id), 
	CONSTRAINT fk_league_variants_league_id_leagues FOREIGN KEY(league_id) REFERENCES leagues (id), 
	CONSTRAINT uq_league_variants_league_id_label UNIQUE (league_id, label)
);
INSERT INTO "league_variants" VALUES(1,1,'ghost-hand','ghost-hand','deals:2','{"moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}',3,'[[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]]');
INSERT INTO "league_variants" VALUES(2,1,'turn-up','turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}',4,'[[0,1,0,1],[1,0,1,0]]');
INSERT INTO "league_variants" VALUES(3,1,'bids','bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}',4,'[[0,1,0,1],[1,0,1,0]]');
INSERT INTO "league_variants" VALUES(4,2,'ghost-hand','ghost-hand','deals:2','{"moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}',3,'[[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]]');
INSERT INTO "league_variants" VALUES(5,2,'turn-up','turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}',4,'[[0,1,0,1],[1,0,1,0]]');
INSERT INTO "league_variants" VALUES(6,2,'bids','bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}',4,'[[0,1,0,1],[1,0,1,0]]');
CREATE TABLE leagues (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	"key" BLOB NOT NULL, 
	commitment TEXT NOT NULL, 
	sets INTEGER NOT NULL, 
	clock TEXT NOT NULL, 
	remote_sets INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	revealed_at DOUBLE, 
	CONSTRAINT pk_leagues PRIMARY KEY (id), 
	CONSTRAINT uq_leagues_name UNIQUE (name)
);
INSERT INTO "leagues" VALUES(1,'done',X'0101010101010101010101010101010101010101010101010101010101010101','72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793',3,'{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}',0,1790000003.0,1790000005.0);
INSERT INTO "leagues" VALUES(2,'open',X'0303030303030303030303030303030303030303030303030303030303030303','648aa5c579fb30f38af744d97d6ec840c7a91277a499a0d780f3e7314eca090b',3,'{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}',0,1790000003.0,NULL);
CREATE TABLE match_bots (
	match_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	bot_version_id INTEGER NOT NULL, 
	CONSTRAINT pk_match_bots PRIMARY KEY (match_id, position), 
	CONSTRAINT fk_match_bots_bot_version_id_bot_versions FOREIGN KEY(bot_version_id) REFERENCES bot_versions (id), 
	CONSTRAINT fk_match_bots_match_id_matches FOREIGN KEY(match_id) REFERENCES matches (id)
)
 WITHOUT ROWID

;
INSERT INTO "match_bots" VALUES(1,1,2);
INSERT INTO "match_bots" VALUES(2,1,2);
INSERT INTO "match_bots" VALUES(3,1,2);
INSERT INTO "match_bots" VALUES(6,0,2);
INSERT INTO "match_bots" VALUES(7,0,2);
INSERT INTO "match_bots" VALUES(8,1,2);
INSERT INTO "match_bots" VALUES(9,1,2);
INSERT INTO "match_bots" VALUES(10,1,2);
INSERT INTO "match_bots" VALUES(13,0,2);
INSERT INTO "match_bots" VALUES(14,0,2);
INSERT INTO "match_bots" VALUES(1,2,3);
INSERT INTO "match_bots" VALUES(4,1,3);
INSERT INTO "match_bots" VALUES(5,1,3);
INSERT INTO "match_bots" VALUES(6,1,3);
INSERT INTO "match_bots" VALUES(7,1,3);
INSERT INTO "match_bots" VALUES(1,0,4);
INSERT INTO "match_bots" VALUES(2,0,4);
INSERT INTO "match_bots" VALUES(3,0,4);
INSERT INTO "match_bots" VALUES(4,0,4);
INSERT INTO "match_bots" VALUES(5,0,4);
INSERT INTO "match_bots" VALUES(8,0,4);
INSERT INTO "match_bots" VALUES(9,0,4);
INSERT INTO "match_bots" VALUES(10,0,4);
INSERT INTO "match_bots" VALUES(11,0,4);
INSERT INTO "match_bots" VALUES(12,0,4);
INSERT INTO "match_bots" VALUES(8,2,5);
INSERT INTO "match_bots" VALUES(11,1,5);
INSERT INTO "match_bots" VALUES(12,1,5);
INSERT INTO "match_bots" VALUES(13,1,5);
INSERT INTO "match_bots" VALUES(14,1,5);
CREATE TABLE matches (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	league_id INTEGER NOT NULL, 
	league_variant_id INTEGER NOT NULL, 
	n INTEGER NOT NULL, 
	variant TEXT NOT NULL, 
	format TEXT NOT NULL, 
	options TEXT NOT NULL, 
	clock TEXT NOT NULL, 
	seatings TEXT NOT NULL, 
	mode TEXT NOT NULL, 
	sets INTEGER NOT NULL, 
	commitment TEXT NOT NULL, 
	games_total INTEGER NOT NULL, 
	games_done INTEGER NOT NULL, 
	sets_done INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	completed_at DOUBLE, 
	claim TEXT, 
	lease_until DOUBLE, 
	CONSTRAINT pk_matches PRIMARY KEY (id), 
	CONSTRAINT ck_matches_mode CHECK (mode IN ('duplicate', 'single')), 
	CONSTRAINT ck_matches_games CHECK (games_done <= games_total), 
	CONSTRAINT fk_matches_league_id_leagues FOREIGN KEY(league_id) REFERENCES leagues (id), 
	CONSTRAINT fk_matches_league_variant_id_league_variants FOREIGN KEY(league_variant_id) REFERENCES league_variants (id), 
	CONSTRAINT uq_matches_name UNIQUE (name)
);
INSERT INTO "matches" VALUES(1,'done/ghost-hand/0',1,1,0,'ghost-hand','deals:2','{"moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]]','duplicate',3,'12e8e5c9c591fe08aa30453313759e2e50a13eff20a1985e142d981805859b4a',18,18,3,1790000004.0,1.79603743551448369027e+09,NULL,NULL);
INSERT INTO "matches" VALUES(2,'done/turn-up/0',1,2,0,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'b049f50d37b83831ca59fa2a5b317cb0f1f1889fa2b4063ed84abf66a837fb33',6,6,3,1790000004.0,1.79603743553611445429e+09,NULL,NULL);
INSERT INTO "matches" VALUES(3,'done/bids/0',1,3,0,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'055c1a8de1e2badea82a756397ad9fd07ea654aefff780bf67068af29573f1be',6,6,3,1790000004.0,1.79603743554991984363e+09,NULL,NULL);
INSERT INTO "matches" VALUES(4,'done/turn-up/1',1,2,1,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'b561f7046bae7c9ee780109db7a239727afeda91588052841a8370350f258336',6,6,3,1790000004.0,1.79603743556646752352e+09,NULL,NULL);
INSERT INTO "matches" VALUES(5,'done/bids/1',1,3,1,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'36cca93e9901dcf04c52bb76d0e666f4cb72ee09b790b1c3e8eb59c68aad3e90',6,6,3,1790000004.0,1.79603743558846902844e+09,NULL,NULL);
INSERT INTO "matches" VALUES(6,'done/turn-up/2',1,2,2,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'f56acc092bc5d7acde2fd5b9c76f7bce44405a7706bfbf03f2e18e54ffd8b4b8',6,6,3,1790000004.0,1.79603743560017156599e+09,NULL,NULL);
INSERT INTO "matches" VALUES(7,'done/bids/2',1,3,2,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'ed667a98b28ccc5b5b3851b095236a2308b1aee34b4d61e080a36e696da30759',6,6,3,1790000004.0,1.79603743561695218091e+09,NULL,NULL);
INSERT INTO "matches" VALUES(8,'open/ghost-hand/0',2,4,0,'ghost-hand','deals:2','{"moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]]','single',18,'2892c521ec1eea601ebc65084a13320d665009f29a2f6ecff584345f611045e0',18,18,18,1790000004.0,1.79603743567080020903e+09,NULL,NULL);
INSERT INTO "matches" VALUES(9,'open/turn-up/0',2,5,0,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'b606edab12f6686bf4ea531ca4fb45f63ae4eeb196e28ba760ca10f9b94d6883',6,3,0,1790000004.0,NULL,'3a3d495e659163f7b166154bd90cbb66',1790000039.0);
INSERT INTO "matches" VALUES(10,'open/bids/0',2,6,0,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','duplicate',3,'05defb2e90a516429c8b77be89c42435f645924dc7f5a942824f5749d0230ac3',6,0,0,1790000004.0,NULL,NULL,NULL);
INSERT INTO "matches" VALUES(11,'open/turn-up/1',2,5,1,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','single',6,'4c01b316a2e37df811b585141e1fd4f7bf59a490491c05543be68b8856e7b52f',6,0,0,1790000004.0,NULL,NULL,NULL);
INSERT INTO "matches" VALUES(12,'open/bids/1',2,6,1,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','single',6,'8f4340f56b0578c4169fa5d3560c3391eb73de99fd1b69ab91ec76df7d0b3606',6,0,0,1790000004.0,NULL,NULL,NULL);
INSERT INTO "matches" VALUES(13,'open/turn-up/2',2,5,2,'turn-up','deals:2','{"stick_dealer":true,"round2_turned_suit":"no","lone_defender":false,"target":10,"max_deals":100,"revoke":"replace","revoke_points":0}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','single',6,'118cc315248d8cd4d1a304285fe06706ab67ade85b8284b863bc82dc25b8a4c7',6,0,0,1790000004.0,NULL,NULL,NULL);
INSERT INTO "matches" VALUES(14,'open/bids/2',2,6,2,'bid-euchre','deals:3','{"double_deck":false,"awards":[12,24],"ask_fail":"bid","moon_fail":"bid","stick_dealer":false,"ace_no_face":false,"joker":false,"target":32,"max_deals":100,"revoke":"replace","revoke_points":2}','{"answer":1.0,"bank":10.0,"start":20.0,"grace":5.0,"faults":3}','[[0,1,0,1],[1,0,1,0]]','single',6,'6e2d99d5a36dd68351881de04827ea8d8bfe41bc51f4de2f5fb6a6ccd86e9e0c',6,0,0,1790000004.0,NULL,NULL,NULL);
CREATE INDEX ix_bot_tokens_bot_version_id ON bot_tokens (bot_version_id);
CREATE INDEX ix_matches_league_id_id ON matches (league_id, id);
CREATE INDEX ix_matches_open ON matches (league_id, id) WHERE completed_at IS NULL;
CREATE INDEX ix_matches_league_variant_id ON matches (league_variant_id);
CREATE INDEX ix_attempts_match_id ON attempts (match_id);
CREATE INDEX ix_match_bots_bot_version_id ON match_bots (bot_version_id);
CREATE INDEX ix_bot_logs_attempt_id ON bot_logs (attempt_id);
CREATE INDEX ix_bot_logs_bot ON bot_logs (bot);
COMMIT;
