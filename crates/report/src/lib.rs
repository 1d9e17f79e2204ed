//! stub
#![allow(missing_docs, missing_debug_implementations)]
pub mod json { pub fn findings(r:&lab::Results)->String{ serde_json::to_string_pretty(&r.studies.iter().map(|s| (&s.sentences, s.cases.iter().map(|c| (&c.findings,&c.variants)).collect::<Vec<_>>())).collect::<Vec<_>>()).unwrap_or_default() } pub fn machine(m:&machine::Machine)->String{serde_json::to_string_pretty(m).unwrap_or_default()} }
pub mod csv { pub fn slots(_:&lab::Results)->String{String::new()} pub fn summary(_:&lab::Results)->String{String::new()} pub fn machine(_:&machine::Machine)->String{String::new()} }
pub mod html { pub fn page(_:&lab::Results)->String{String::new()} }
pub mod terminal { pub struct Style{pub width:usize,pub colour:bool} pub fn run(r:&lab::Results,_:&Style)->String{ r.studies.iter().map(|s| s.sentences.join("\n")+"\n"+&s.cases.iter().map(|c| format!("{} {:?} reps {} rounds {}: {}\n", c.case.name, c.noise, c.reps, c.rounds, c.findings.iter().map(|f| format!("{} | {:?}", f.sentence, f.why)).collect::<Vec<_>>().join("; "))).collect::<String>()).collect() } pub fn machine(m:&machine::Machine,_:&Style)->String{ format!("{:#?}", m.facts()) } }
