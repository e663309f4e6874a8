"""Statements of made-up documents, each as a passage says it and as claims do.

Figures, counts, states and their opposites, who does what, who did what to whom, where and when.
"""

# ruff: noqa: E501  (one statement a line)

from __future__ import annotations

from upheld_lab.training.verifier.business_words import lines, pairs

# What is measured: how a passage says it, how claims say it, the unit, smallest and largest value.
MEASURES = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in lines("""
A session ends after {v} without activity. / Log-out comes after {v} of inactivity. / minutes / 5 90
The notice period is {v}. / Notice has to be given {v} ahead. / weeks / 2 26
Invoices fall due {v} after they are issued. / There are {v} in which to pay an invoice. / days / 7 90
The battery lasts {v} on one charge. / One charge is good for {v} of use. / hours / 3 40
Backups are kept for {v}. / A backup is gone after {v}. / days / 5 120
The tank holds {v}. / It takes {v} to fill the tank. / litres / 20 900
The load limit of the platform is {v}. / The greatest load that the platform bears is {v}. / kilograms / 80 950
The cable is {v} long. / The length of the cable comes to {v}. / metres / 3 80
A day ticket costs {v}. / One has to pay {v} for a day ticket. / euros / 4 95
The deposit for a locker is {v}. / Whoever takes a locker leaves {v} as a deposit. / pounds / 5 60
The course runs for {v}. / It takes {v} to complete the course. / weeks / 3 30
The largest file that can be uploaded has {v}. / The size limit for uploads is {v}. / MB / 5 500
The request times out after {v}. / A request gets {v} before it is given up. / seconds / 3 90
The walk to the hut takes {v}. / Hikers need {v} to reach the hut. / minutes / 15 200
The warranty on the motor covers {v}. / The motor is under warranty for {v}. / months / 6 60
The mortar has to dry for {v}. / Drying takes the mortar {v}. / hours / 2 72
The kiln is heated to {v}. / The kiln's final temperature is {v}. / degrees Celsius / 200 1300
The fence stands {v} from the track. / Between track and fence there are {v}. / metres / 2 50
Membership costs {v} a year. / The yearly price of membership is {v}. / dollars / 10 400
Each dose contains {v} of the active substance. / There are {v} of the active substance in a dose. / mg / 5 800
The turbine delivers {v}. / The output of the turbine is {v}. / kW / 20 900
The plot measures {v}. / The size of the plot is {v}. / hectares / 2 60
The trial period lasts {v}. / The trial is over after {v}. / days / 7 60
Probation lasts {v}. / New people are on probation for {v}. / months / 2 12
The weight limit for a parcel is {v}. / The heaviest parcel that is taken weighs {v}. / kilograms / 2 40
Retention of call recordings is limited to {v}. / Recordings of calls are erased after {v}. / days / 10 180
The pool is {v} deep. / The depth of the pool is {v}. / metres / 2 9
Speakers get {v} each. / The time for each speaker is {v}. / minutes / 5 45
The cache is cleared every {v}. / Between two clearings of the cache lie {v}. / hours / 2 48
The pledge raised {v} for the hospice. / Thanks to the pledge the hospice got {v}. / pounds / 200 9000
The guarantee deposit is repaid after {v}. / It takes {v} until the guarantee deposit is paid back. / weeks / 2 16
The alarm sounds for {v}. / One hears the alarm for {v}. / seconds / 10 120
Meals are kept warm for {v}. / After being cooked, meals stay warm for {v}. / minutes / 20 120
The lifting limit of the crane is {v}. / The most that the crane can raise is {v}. / kilograms / 100 950
The subscription costs {v} a month. / Subscribers are charged {v} every month. / euros / 3 80
Late return is charged at {v}. / Whoever brings things back late pays {v}. / pounds / 2 60
The hose reaches {v}. / The hose ends after {v}. / metres / 5 60
The oven needs {v} to warm up. / Warming up takes the oven {v}. / minutes / 5 40
Logs are deleted after {v}. / A log entry exists for {v}. / days / 7 365
A token is valid for {v}. / Tokens expire after {v}. / hours / 1 72
The queue holds messages for {v}. / Messages stay in the queue for {v}. / minutes / 5 90
Attachments are limited to {v}. / {v} is the largest size of an attachment. / MB / 5 60
The well is {v} deep. / One has to go down {v} to reach the bottom of the well. / metres / 8 90
The generator supplies {v}. / {v} is what the generator gives. / kW / 5 400
The seminar fee is {v}. / Taking part in the seminar costs {v}. / dollars / 50 900
Objections are accepted for {v} after publication. / After publication there are {v} to object. / weeks / 2 12
The substance is stored at {v}. / The storage temperature of the substance is {v}. / degrees Celsius / 2 30
Parental leave lasts {v}. / The length of parental leave is {v}. / months / 3 36
The syrup contains {v} of sugar. / There are {v} of sugar in the syrup. / mg / 50 900
The barrel takes {v}. / The barrel is full with {v}. / litres / 50 300
""")
)
# Counted things, for numbers in words, sums and shares.
COUNTED = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in lines("""
The committee has {n} members. / {N} people sit on the committee.
There are {n} exits on this floor. / This floor can be left through {n} exits.
The kit comes with {n} screws. / {N} screws are supplied with the kit.
The house is divided into {n} flats. / There are {n} flats in the house.
The tour visits {n} towns. / {N} towns are visited on the tour.
Each team is made up of {n} players. / A team consists of {n} players.
The form runs to {n} pages. / One fills in {n} pages of the form.
The depot owns {n} vans. / {N} vans belong to the depot.
The course has {n} modules. / Somebody who takes the course goes through {n} modules.
The archive employs {n} people. / {N} people work at the archive.
The panel heard {n} witnesses. / {N} witnesses spoke to the panel.
The shelter offers {n} beds. / There is room for {n} sleepers in the shelter.
The system retries {n} times. / A failed call is repeated {n} times.
The ferry sails {n} times a day. / There are {n} sailings a day.
The garden counts {n} plum trees. / {N} plum trees grow in the garden.
The jury awarded {n} prizes. / {N} prizes were given by the jury.
The station has {n} platforms. / Trains stop at {n} platforms of the station.
The board meets {n} times a year. / There are {n} meetings of the board in a year.
The exhibition shows {n} paintings. / {N} paintings can be seen at the exhibition.
The plan lists {n} risks. / {N} risks are named in the plan.
The form asks for {n} signatures. / Without {n} signatures the form is not complete.
The village lost {n} shops. / {N} shops of the village closed down.
The recipe calls for {n} eggs. / One needs {n} eggs for the recipe.
The lift serves {n} floors. / {N} floors can be reached by lift.
The server keeps {n} copies. / {N} copies are stored by the server.
The crew counts {n} sailors. / There are {n} sailors in the crew.
The clinic bought {n} beds. / {N} beds were purchased for the clinic.
The tournament is played in {n} rounds. / It takes {n} rounds to finish the tournament.
The choir sings {n} songs. / {N} songs are on the choir's programme.
The survey was sent to {n} schools. / {N} schools got the survey.
""")
)
# Each line: a state and its opposite, as a passage tells them and as claims do.
STATES = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in lines("""
The tap water is safe to drink. / The tap water is unsafe to drink. / One can drink from the tap. / One should not drink from the tap.
Attendance is voluntary. / Attendance is compulsory. / People are free to stay away. / People are not free to stay away.
Telemetry is enabled by default. / Telemetry is disabled by default. / Usage data are sent unless one stops it. / No usage data are sent unless one asks for it.
The valve is normally open. / The valve is normally closed. / In its usual state the valve lets liquid through. / In its usual state the valve holds liquid back.
The proposal was accepted. / The proposal was rejected. / The meeting said yes to the proposal. / The meeting said no to the proposal.
Sales rose in the second quarter. / Sales fell in the second quarter. / The second quarter brought an increase in sales. / The second quarter brought a decrease in sales.
The path is passable in winter. / The path is impassable in winter. / In winter the path can be walked. / In winter the path cannot be walked.
The position is permanent. / The position is temporary. / The post has no end date. / The post ends at a fixed date.
The meeting is public. / The meeting is private. / Anybody may sit in on the meeting. / Outsiders may not sit in on the meeting.
The lake freezes early. / The lake freezes late. / Ice forms on the lake early in the season. / Ice forms on the lake late in the season.
The paint dries quickly. / The paint dries slowly. / Drying does not take the paint long. / Drying takes the paint a long time.
The contract was renewed. / The contract was terminated. / The contract goes on. / The contract has come to an end.
Breakfast is included in the price. / Breakfast is charged separately. / Guests pay nothing extra for breakfast. / Guests pay extra for breakfast.
The device is waterproof. / The device must be kept dry. / The device can get wet without harm. / The device is harmed by water.
The trial was a success. / The trial was a failure. / The trial went well. / The trial went badly.
The method call is synchronous. / The method call is asynchronous. / The caller waits until the method is done. / The caller goes on while the method runs.
The road is wide enough for lorries. / The road is too narrow for lorries. / Lorries fit on the road. / Lorries do not fit on the road.
The field is optional. / The field is required. / The field can be left empty. / The field has to be filled in.
Stocks of paper are ample. / Stocks of paper are scarce. / There is plenty of paper. / There is little paper.
The data are encrypted at rest. / The data are stored unencrypted. / Stored data are protected by encryption. / Stored data are not protected by encryption.
The slope faces north. / The slope faces south. / The slope looks to the north. / The slope looks to the south.
The new route is shorter. / The new route is longer. / One travels less far on the new route. / One travels farther on the new route.
The tenant pays for heating. / The landlord pays for heating. / Heating is at the expense of the tenant. / Heating is at the expense of the landlord.
Visitors enter free of charge. / Visitors pay to enter. / Getting in costs nothing. / Getting in costs money.
The grant may be spent on wages. / The grant may not be spent on wages. / Wages can be met from the grant. / Wages cannot be met from the grant.
The index is sorted in ascending order. / The index is sorted in descending order. / The smallest entries of the index come first. / The largest entries of the index come first.
The club gained members last year. / The club lost members last year. / Membership of the club grew last year. / Membership of the club shrank last year.
The seller bears the cost of return. / The buyer bears the cost of return. / Sending goods back is paid for by the seller. / Sending goods back is paid for by the buyer.
The lamp is on while charging. / The lamp is off while charging. / The lamp glows during charging. / The lamp stays dark during charging.
Smoking is permitted on the terrace. / Smoking is prohibited on the terrace. / One may smoke on the terrace. / One must not smoke on the terrace.
The old cable is live. / The old cable is dead. / There is current in the old cable. / There is no current in the old cable.
The shop is open on Sundays. / The shop is shut on Sundays. / One can buy things there on a Sunday. / One cannot buy things there on a Sunday.
The complaint was upheld. / The complaint was dismissed. / The complaint succeeded. / The complaint failed.
The gate locks by itself. / The gate has to be locked by hand. / Nobody needs to lock the gate. / Somebody needs to lock the gate.
Returns are accepted after use. / Returns are refused after use. / Used goods can be sent back. / Used goods cannot be sent back.
The new form is simpler. / The new form is more complicated. / It has become easier to fill in the form. / It has become harder to fill in the form.
The wall bears load. / The wall bears no load. / The wall holds up what is above it. / The wall holds nothing up.
Water pressure is high on the top floor. / Water pressure is low on the top floor. / On the top floor water comes with force. / On the top floor water only trickles.
The treasurer resigned. / The treasurer stayed in office. / The treasurer stepped down. / The treasurer did not step down.
Copying is allowed for teaching. / Copying is banned even for teaching. / Teachers may make copies. / Teachers may not make copies.
The interest rate is fixed. / The interest rate is variable. / The rate stays the same. / The rate can change.
The server is behind the firewall. / The server is outside the firewall. / The firewall protects the server. / The firewall does not protect the server.
The medicine is taken before meals. / The medicine is taken after meals. / One takes the medicine on an empty stomach. / One takes the medicine on a full stomach.
The contract names a penalty. / The contract names no penalty. / A penalty is provided for in the contract. / The contract provides for no penalty.
Parking is free for residents. / Parking costs residents money. / Residents do not pay for parking. / Residents pay for parking.
The second engine failed. / The second engine kept running. / There was a breakdown of the second engine. / There was no breakdown of the second engine.
Names are shown to all readers. / Names are hidden from readers. / Every reader sees the names. / No reader sees the names.
The budget shows a surplus. / The budget shows a deficit. / More money came in than went out. / More money went out than came in.
The motion was carried unanimously. / The motion was carried against some votes. / Nobody voted against the motion. / Some people voted against the motion.
The trail is marked. / The trail is unmarked. / There are signs along the trail. / There are no signs along the trail.
The insurer pays for glass. / The insurer does not pay for glass. / Broken glass is covered. / Broken glass is not covered.
Entries are sorted by hand. / Entries are sorted by machine. / People do the sorting. / A machine does the sorting.
The ferry runs in fog. / The ferry stays in port in fog. / Fog does not stop the ferry. / Fog stops the ferry.
Drafts are saved automatically. / Drafts are lost unless they are saved. / One need not save drafts. / One has to save drafts.
""")
)
POSTS = pairs("""
chairs the finance committee / is in the chair of the finance committee
is the contact for press questions / answers questions from the press
runs the workshop / is in charge of the workshop
signs off the payroll / gives final approval to the payroll
trains the new drivers / gives new drivers their training
keeps the minutes / writes the minutes
is responsible for fire safety / answers for fire safety
orders the spare parts / is the one who orders spare parts
maintains the website / looks after the website
leads the night shift / is at the head of the night shift
represents the tenants / speaks for the tenants
audits the accounts / checks the accounts
handles complaints / deals with complaints
holds the master key / has the master key in keeping
teaches the evening course / gives lessons in the evening
books the travel / takes care of travel bookings
looks after the first-aid room / has the first-aid room in charge
writes the newsletter / is the author of the newsletter
measures the noise / takes the noise readings
approves the overtime / decides on overtime
guides the school groups / shows school groups around
repairs the bicycles / mends the bicycles
opens the hall in the morning / unlocks the hall in the morning
negotiates with suppliers / conducts talks with suppliers
tests the new release / tries out the new release
feeds the animals at weekends / gives the animals their food at weekends
""")
TOWARDS = pairs("""
{a} reports to {b}. / {b} is the superior of {a}.
{a} replaced {b} in March. / In March {b} gave way to {a}.
{a} lent the projector to {b}. / {b} borrowed the projector from {a}.
{a} sold the van to {b}. / {b} bought the van from {a}.
{a} nominated {b} for the post. / {b} was put forward for the post by {a}.
{a} trained {b}. / {b} got training from {a}.
{a} owes {b} 200 pounds. / {b} is owed 200 pounds by {a}.
{a} was hired by {b}. / {b} gave {a} the job.
{a} inspected the work of {b}. / The work of {b} was inspected by {a}.
{a} sent {b} a letter about the delay. / {b} got a letter on the delay from {a}.
{a} beat {b} in the final vote. / {b} lost the final vote to {a}.
{a} lets the shop to {b}. / {b} rents the shop from {a}.
{a} recommended {b} to the board. / {b} has the recommendation of {a} to the board.
{a} took over the desk of {b}. / The desk of {b} went to {a}.
{a} complained about {b}. / {b} was the subject of a complaint by {a}.
{a} drove {b} to the hospital. / It was {a} who drove {b} to the hospital.
{a} interviewed {b} for the report. / {b} answered questions of {a} for the report.
{a} followed {b} as chair. / {b} was chair before {a}.
{a} is employed by {b}. / {b} employs {a}.
{a} corrected the draft of {b}. / The draft of {b} was corrected by {a}.
{a} supplies {b} with timber. / {b} gets timber from {a}.
{a} gave {b} power of attorney. / {b} got power of attorney from {a}.
{a} is older than {b}. / {b} is younger than {a}.
{a} sued {b}. / {b} was taken to court by {a}.
{a} guarantees the loan of {b}. / The loan of {b} is guaranteed by {a}.
{a} informed {b} of the result. / {b} heard of the result from {a}.
""")
PLACED = pairs("""
The spare keys are kept in {p}. / One finds the spare keys in {p}.
The head office is in {p}. / {p} is the seat of the head office.
The autumn meeting is held in {p}. / {p} hosts the autumn meeting.
Returned goods are sent to {p}. / {p} is where returned goods go.
The second data centre stands in {p}. / A second data centre was set up in {p}.
The pump was built in {p}. / {p} is where the pump was made.
Training takes place in {p}. / For training people go to {p}.
The line ends in {p}. / {p} is the last stop of the line.
The archive was moved to {p}. / {p} now houses the archive.
The samples are tested in {p}. / Testing of the samples is done in {p}.
The ferry leaves from {p}. / {p} is where the ferry departs.
Complaints are handled in {p}. / The office in {p} deals with complaints.
The timber comes from {p}. / {p} supplies the timber.
The founder was born in {p}. / {p} is the founder's birthplace.
The night bus stops in {p}. / One can get off the night bus in {p}.
The prize was awarded in {p}. / {p} was the place of the award.
A new branch opened in {p}. / {p} got a new branch.
The trial took place in {p}. / {p} was where the trial was held.
The wreck lies off {p}. / Off {p} there lies the wreck.
The tender was published in {p}. / {p} is where the tender came out.
The laboratory moved from {p}. / {p} was the laboratory's old seat.
Interviews are held in {p}. / Applicants travel to {p} for the interview.
""")
DATED = pairs("""
The new tariff applies from {d}. / {d} is when the new tariff starts.
Applications close on {d}. / One can apply until {d}.
The lift is inspected on {d}. / The inspection of the lift is set for {d}.
The lease ends on {d}. / {d} is the last day of the lease.
The museum reopens on {d}. / Visitors can come again on {d}.
Version 4 was released on {d}. / Since {d} version 4 has been out.
The summer school starts on {d}. / {d} is the first day of the summer school.
The minutes were approved on {d}. / Approval of the minutes came on {d}.
The old endpoint is removed on {d}. / After {d} the old endpoint is gone.
The well was drilled on {d}. / Drilling of the well took place on {d}.
The warranty expired on {d}. / Since {d} there has been no warranty.
The pool closes on {d}. / {d} is the last day of bathing.
The bridge was blocked on {d}. / On {d} one could not cross the bridge.
The vote was held on {d}. / People voted on {d}.
The first payment is due on {d}. / One has to make the first payment by {d}.
The strike began on {d}. / From {d} on there was a strike.
The certificate was issued on {d}. / The certificate bears the date of {d}.
The exhibition ends on {d}. / Until {d} the exhibition can be seen.
The server was replaced on {d}. / A new server came on {d}.
The hearing takes place on {d}. / {d} is the day of the hearing.
The delivery arrived on {d}. / What had been ordered came on {d}.
Harvest starts on {d}. / Picking begins on {d}.
""")
GROUPS = pairs("""
The rescue kit contains {items}. / {X} belongs to the rescue kit.
The price covers {items}. / {X} is covered by the price.
Each locker holds {items}. / One finds {x} in each locker.
Guests have to bring {items}. / Guests are asked to bring {x}.
The workshop sells {items}. / {X} can be bought at the workshop.
The following is banned from the hall: {items}. / It is not allowed to bring {x} into the hall.
The delivery of Monday included {items}. / {X} came with Monday's delivery.
The grant pays for {items}. / {X} can be paid for from the grant.
The shelf in the hall is for {items}. / {X} may be put on the shelf in the hall.
Members can borrow {items}. / Members may take {x} home.
The checklist names {items}. / {X} is on the checklist.
Customs confiscated {items}. / Customs took away {x}.
Not covered by the insurance: {items}. / The insurance does not pay for {x}.
The beginner's set lacks {items}. / {X} is missing from the beginner's set.
The following was sold at auction: {items}. / Somebody bought {x} at the auction.
""")
UNITS = {
    "minutes": ("seconds", "hours"), "weeks": ("days", "months"), "days": ("weeks", "hours"),
    "hours": ("minutes", "days"), "litres": ("millilitres", "gallons"),
    "kilograms": ("grams", "tonnes"), "metres": ("centimetres", "kilometres"),
    "euros": ("dollars", "pounds"), "pounds": ("euros", "dollars"), "MB": ("GB", "kB"),
    "seconds": ("minutes", "milliseconds"), "months": ("weeks", "years"),
    "degrees Celsius": ("degrees Fahrenheit",), "dollars": ("euros", "cents"), "mg": ("g", "micrograms"),
    "kW": ("MW", "W"), "hectares": ("acres", "square metres"),
}  # fmt: skip
